package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.tools.attach.VirtualMachine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.BurnsCpu;
import stackweave.testing.Commands;

/** The compiler directive as the JVM itself lists it. */
class CompilerDirectiveIT {
  private static final String OURS = "stackweave/agent/*.*";
  private static final String THEIRS = "java/lang/Integer.parse*";

  @TempDir private Path directory;
  private Process target;

  static Stream<Jvm> jvms() {
    return Jvm.all();
  }

  @AfterEach
  void end() throws Exception {
    if (target != null) {
      target.destroyForcibly().waitFor();
    }
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void isThereOnceAndLeavesOthersAndNoFile(Jvm jvm) throws Exception {
    start(jvm, "");
    assertEquals(0, count(directives(jvm), OURS), "a dormant agent adds none");
    Path theirs = directory.resolve("theirs.json");
    Files.writeString(theirs, "[{match: \"" + THEIRS + "\", c2: {Exclude: true}}]");
    jcmd(jvm, "Compiler.directives_add", theirs.toString());
    for (int i = 0; i < 2; i++) {
      record(jvm);
    }
    String listed = directives(jvm);
    assertEquals(1, count(listed, OURS), listed);
    assertEquals(1, count(listed, THEIRS), listed);
    try (Stream<Path> files = Files.list(directory.resolve("tmp"))) {
      assertEquals(List.of(), files.filter(f -> f.toString().contains("stackweave")).toList());
    }
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void isNotThereWhereAllCompilersMay(Jvm jvm) throws Exception {
    start(jvm, "=jit=all");
    record(jvm);
    assertEquals(0, count(directives(jvm), OURS));
  }

  /** The agent would be interpreted for ever. */
  @ParameterizedTest
  @MethodSource("jvms")
  void isNotThereWhereC2IsTheOnlyCompiler(Jvm jvm) throws Exception {
    for (String option : List.of("-XX:-TieredCompilation", "-XX:CompilationMode=high-only")) {
      start(jvm, "", option);
      String status = record(jvm);
      assertEquals(0, count(directives(jvm), OURS), option);
      assertEquals(0, count(status, "C2"), status);
      end();
    }
  }

  private void start(Jvm jvm, String options, String... jvmOptions) throws Exception {
    Path temporary = Files.createDirectories(directory.resolve("tmp"));
    List<String> arguments = new ArrayList<>(List.of("-XX:TieredStopAtLevel=4"));
    arguments.addAll(Arrays.asList(jvmOptions));
    arguments.addAll(
        List.of(
            "-Djava.io.tmpdir=" + temporary,
            "-javaagent:" + Jars.AGENT + options,
            "-cp",
            Jars.apps().toString(),
            BurnsCpu.class.getName(),
            "900"));
    target =
        jvm.start(directory, arguments)
            .redirectError(directory.resolve("target.txt").toFile())
            .start();
    assertEquals("running", target.inputReader().readLine());
  }

  /** Until the agent has sampled, by its own status. */
  private String record(Jvm jvm) throws Exception {
    jcmd(jvm, "JFR.start", "name=r", "filename=" + directory.resolve("r.jfr"));
    String status = "";
    VirtualMachine attached = VirtualMachine.attach(Long.toString(target.pid()));
    for (int i = 0; i < 3_000 && !status.matches("(?s).* [1-9]\\d* written.*"); i++) {
      Thread.sleep(100);
      status = attached.getAgentProperties().getProperty("stackweave.status", "");
    }
    attached.detach();
    assertTrue(status.matches("(?s).* [1-9]\\d* written.*"), status);
    jcmd(jvm, "JFR.stop", "name=r");
    return status;
  }

  private String directives(Jvm jvm) throws Exception {
    return jcmd(jvm, "Compiler.directives_print");
  }

  private String jcmd(Jvm jvm, String... command) throws Exception {
    List<String> all = new ArrayList<>();
    all.add(jvm.home().resolve("bin/jcmd").toString());
    all.add(Long.toString(target.pid()));
    all.addAll(Arrays.asList(command));
    return Commands.run(new ProcessBuilder(all).directory(directory.toFile())).successfully().out();
  }

  private static int count(String text, String part) {
    return text.split(Pattern.quote(part), -1).length - 1;
  }
}
