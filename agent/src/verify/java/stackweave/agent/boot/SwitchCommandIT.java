package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.Waits;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;

/** {@code off} and {@code on}: what they say is what the JVMs do. */
class SwitchCommandIT extends SwitchedJvm {
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void oneJvmStopsAndGoesOn(Jvm jvm) throws Exception {
    Path file = ownDirectory("switch").resolve("off");
    Process target = start(jvm, "engine=timer,switch=" + file);
    awaitSamples(target.pid());
    assertEquals("", randomDevices(target.pid()), "left open");
    Ended off = run(ForkedJvm.agentCommand("off", "--pid", target.pid()));
    assertEquals(0, off.exit(), off.err());
    assertEquals("off: " + file + "\nprocess " + target.pid() + ": switched off\n", off.out());
    assertTrue(Files.exists(file));
    Ended on = run(ForkedJvm.agentCommand("on", "--pid", target.pid()));
    assertEquals(0, on.exit(), on.err());
    assertEquals("removed: " + file + "\nprocess " + target.pid() + ": switched on\n", on.out());
    assertFalse(Files.exists(file));
  }

  /** The files are handled all the same, unless it is no process. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void whatCantBeAskedIsNotVerified(Jvm jvm) throws Exception {
    Path file = ownDirectory("switch").resolve("off");
    String agent = "-javaagent:" + Jars.AGENT + "=switch=" + file;
    List<String> arguments = List.of(agent, "-cp", Jars.apps().toString(), Waits.class.getName());
    Process target = jvm.start(directory, arguments).start();
    started.add(target);
    assertEquals("running", target.inputReader().readLine());
    String thread;
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + target.pid() + "/task"))) {
      thread =
          threads
              .map(directory -> directory.getFileName().toString())
              .filter(id -> !id.equals(Long.toString(target.pid())))
              .findFirst()
              .orElseThrow();
    }
    Ended none = run(ForkedJvm.agentCommand("off", "--pid", thread));
    assertEquals(
        "stackweave: " + thread + " is a thread of process P: use P\n",
        none.err().replace(Long.toString(target.pid()), "P"));
    assertEquals(2, none.exit(), none.out());
    assertFalse(Files.exists(file));
    Commands.output("kill", "-STOP", Long.toString(target.pid()));
    Ended unasked = run(ForkedJvm.agentCommand("off", "--pid", target.pid()));
    assertEquals(2, unasked.exit(), unasked.out());
    assertEquals("off: " + file + "\n", unasked.out());
    assertTrue(
        unasked.err().matches("stackweave: not verified whether sampling stopped: .* stopped .*\n"),
        unasked.err());
    assertTrue(Files.exists(file));
  }

  /** What the JDK's SecureRandom would keep open in the application for ever. */
  private static String randomDevices(long pid) throws IOException {
    try (Stream<Path> files = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      return files
          .map(
              file -> {
                try {
                  return Files.readSymbolicLink(file).toString();
                } catch (IOException e) {
                  return ""; // closed meanwhile
                }
              })
          .filter(name -> name.endsWith("random"))
          .collect(Collectors.joining(" "));
    }
  }
}
