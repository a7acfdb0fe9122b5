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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.apps.BurnsCpu;
import stackweave.testing.Commands;

/** What the JVM itself lists. */
abstract class CompilerDirectives {
  static final String OURS = "stackweave/agent/*.*";

  @TempDir Path directory;
  Process target;

  @AfterEach
  void end() throws Exception {
    if (target != null) {
      target.destroyForcibly().waitFor();
    }
  }

  void start(Jvm jvm, String options, String... jvmOptions) throws Exception {
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
  String record(Jvm jvm) throws Exception {
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

  String directives(Jvm jvm) throws Exception {
    return jcmd(jvm, "Compiler.directives_print");
  }

  String jcmd(Jvm jvm, String... command) throws Exception {
    List<String> all = new ArrayList<>();
    all.add(jvm.home().resolve("bin/jcmd").toString());
    all.add(Long.toString(target.pid()));
    all.addAll(Arrays.asList(command));
    return Commands.run(new ProcessBuilder(all).directory(directory.toFile())).successfully().out();
  }

  static int count(String text, String part) {
    return text.split(Pattern.quote(part), -1).length - 1;
  }
}
