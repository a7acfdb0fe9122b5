package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.apps.EmptyAgent;
import stackweave.agent.apps.JnaProbe;
import stackweave.testing.Ended;

/** An application under the agent, and the same under an agent that does nothing. */
abstract class BesideEmptyAgent {
  static final String DENY = "--illegal-native-access=deny";

  /**
   * The one thing that stays after JNA's first call: libffi maps the code of its trampolines from a
   * file whenever a page is full, so it keeps that file (4 KiB, deleted, closed on exec) open.
   */
  static final String LIBFFI_TRAMPOLINES = "(?m)^file /\\S*/ffi\\w{6} \\(deleted\\)\n";

  @TempDir Path directory;
  Path emptyAgent;
  Path probe;
  Path findings;

  @BeforeEach
  void makeJars() throws IOException {
    emptyAgent = Jars.agent(directory, EmptyAgent.class);
    probe = Jars.agent(directory, JnaProbe.class);
    findings = directory.resolve("findings.txt");
  }

  static Stream<Jvm> restrictingJvms() {
    return Jvm.restricting();
  }

  Ended assertSameAsEmpty(Jvm jvm, List<String> options, Class<?> application) throws Exception {
    return assertSameAsEmpty(jvm, options, List.of(Jars.apps().toString()), application);
  }

  Ended assertSameAsEmpty(
      Jvm jvm, List<String> options, List<String> classPath, Class<?> application)
      throws Exception {
    Files.deleteIfExists(findings);
    Ended empty = run(jvm, emptyAgent, options, classPath, application);
    assertFalse(Files.exists(findings), "the empty agent can't have a JNA");
    Ended ours = run(jvm, Jars.AGENT, options, classPath, application);
    assertTrue(Files.exists(findings), "our JNA does not work: " + ours);
    findings(jvm);
    assertEquals(comparable(empty.out()), comparable(ours.out()), options.toString());
    assertEquals(comparable(empty.err()), comparable(ours.err()), options.toString());
    assertEquals(empty.exit(), ours.exit(), options.toString());
    return ours.saying(comparable(ours.out()), comparable(ours.err()));
  }

  Ended run(Jvm jvm, Path agent, List<String> options, List<String> classPath, Class<?> application)
      throws Exception {
    List<String> arguments = new ArrayList<>(options);
    arguments.add("-javaagent:" + agent);
    arguments.add("-javaagent:" + probe + "=" + findings);
    arguments.add("-cp");
    arguments.add(classPath.isEmpty() ? Jars.apps().toString() : String.join(":", classPath));
    arguments.add(application.getName());
    return jvm.run(directory, arguments);
  }

  /** What the probe found, which shows that JNA worked, and in which module. */
  List<String> findings(Jvm jvm) throws IOException {
    List<String> found = Files.readAllLines(findings);
    assertTrue(found.get(0).matches("pid \\d+"), found.toString());
    // Only where native access is granted to modules.
    assertEquals("module " + (jvm.feature() < 24 ? "null" : "com.sun.jna"), found.get(1));
    return found;
  }

  /** Without what differs between any two runs: numbers of processes, times, the agent's name. */
  String comparable(String output) {
    String same =
        output
            .replaceAll(LIBFFI_TRAMPOLINES, "")
            .replaceAll("(?m)^file (anon_inode|pipe|socket):.*\n", "")
            .replace(Jars.AGENT.toString(), "/AGENT")
            .replace(emptyAgent.toString(), "/AGENT")
            .replaceAll("jcmd \\d+", "jcmd PID")
            .replaceAll("(out|err)\\d+\\.txt", "$1.txt")
            .replaceAll("\\[\\d+[.,]\\d+s\\]", "[TIME]");
    // The census lists files in the order of their names, and the agents' differ.
    return Stream.concat(
            same.lines().filter(line -> !line.startsWith("file ")),
            same.lines().filter(line -> line.startsWith("file ")).sorted())
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }
}
