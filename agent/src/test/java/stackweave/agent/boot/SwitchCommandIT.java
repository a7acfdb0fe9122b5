package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.BurnsCpu;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;

/** {@code off} and {@code on}: what they say is what the JVMs do. */
@Isolated("switches off what its user samples")
class SwitchCommandIT {
  /** Where no mount of a test hides it. */
  private static final Path JAR = Path.of("/dev/shm/stackweave-switch-test.jar");

  @TempDir private Path directory;
  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void endTargets() throws Exception {
    for (Process process : started) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
    Files.deleteIfExists(JAR);
  }

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

  /** As /var/run is one of root's; the agent looks through it, too. */
  @Test
  void aLinkOnTheWayToANamedFileIsFollowed() throws Exception {
    Path file = Files.createDirectory(ownDirectory("run").resolve("app")).resolve("off");
    Path named =
        Files.createSymbolicLink(directory.resolve("var"), file.getParent().getParent())
            .resolve("app/off");
    Process target = start(Jvm.all().findFirst().orElseThrow(), "engine=timer,switch=" + named);
    awaitSamples(target.pid());
    Ended off = run(ForkedJvm.agentCommand("off", "--pid", target.pid()));
    assertEquals("off: " + named + "\nprocess " + target.pid() + ": switched off\n", off.out());
    assertEquals(0, off.exit(), off.err());
    assertTrue(Files.exists(file));
  }

  /** The agent would not count it either. */
  @Test
  void aLinkInsteadOfTheDirectoryOfANamedFileIsRefused() throws Exception {
    Path named =
        Files.createSymbolicLink(directory.resolve("link"), ownDirectory("there")).resolve("off");
    Process target = start(Jvm.all().findFirst().orElseThrow(), "engine=timer,switch=" + named);
    awaitSamples(target.pid());
    Ended off = run(ForkedJvm.agentCommand("off", "--pid", target.pid()));
    assertEquals(2, off.exit(), off.out());
    assertTrue(off.err().contains("/link is a link, so no file in it counts"), off.err());
    assertFalse(Files.exists(named));
  }

  @Test
  void aNumberThatIsNoUsersIsSaid() throws Exception {
    for (String user : new String[] {"4294967295", "4294967296"}) {
      Ended result = run(ForkedJvm.agentCommand("off", "--user", user));
      assertEquals(2, result.exit());
      assertEquals(
          "stackweave: there is no user " + user + ": numbers end at 4294967294\n", result.err());
    }
  }

  /** Somebody else was first where everybody may make directories. */
  @Test
  void aDirectoryOfAnotherUserIsSaidAndNotUsed() throws Exception {
    mustBeRoot();
    Ended result =
        inOwnTmp(
            "mkdir -m 777 /tmp/.stackweave-0; chown 1234 /tmp/.stackweave-0; ",
            "; code=$?; ls /tmp/.stackweave-0; exit $code");
    assertEquals(2, result.exit(), result.out() + result.err());
    assertEquals("", result.out());
    assertTrue(
        result
            .err()
            .matches(
                "stackweave: not switched off: /tmp/.stackweave-0/off: .stackweave-0 belongs to"
                    + " another user \\(uid 1234\\).*\n"),
        result.err());
  }

  /** One of two places could not be had: a JVM that looks only there goes on. */
  @Test
  void onePlaceOfTwoIsNotAll() throws Exception {
    mustBeRoot();
    Ended result =
        inOwnTmp(
            "mkdir -p /tmp/user/65534 /run/user && chown 65534 /tmp/user/65534 && mount --bind /tmp/user"
                + " /run/user && mkdir -m 777 /tmp/.stackweave-65534 && chown 1234"
                + " /tmp/.stackweave-65534; ",
            " --user 65534");
    assertEquals(2, result.exit(), result.out() + result.err());
    assertEquals("off: /run/user/65534/stackweave-off\n", result.out());
    assertTrue(result.err().contains("belongs to another user (uid 1234)"), result.err());
  }

  @Test
  void theUsersFilesAreMadeWhereTheAgentLooks() throws Exception {
    mustBeRoot();
    Ended result =
        inOwnTmp(
            "mkdir -p /tmp/user/65534 && chown 65534 /tmp/user/65534 && mkdir -p /run/user &&"
                + " mount --bind /tmp/user /run/user; ",
            " --user 65534; cd /tmp; ls -n /run/user/65534 .stackweave-65534");
    assertEquals(0, result.exit(), result.out() + result.err());
    assertTrue(
        result
            .out()
            .startsWith("off: /run/user/65534/stackweave-off\noff: /tmp/.stackweave-65534/off\n"),
        result.out());
    assertEquals(
        2,
        result.out().lines().filter(l -> l.matches("-rw------- 1 65534 65534 .*off")).count(),
        result.out());
  }

  private Ended inOwnTmp(String before, String after) throws Exception {
    return run(
        "unshare",
        "--mount",
        "--pid",
        "--fork",
        "--mount-proc",
        "sh",
        "-c",
        "cp "
            + Jars.AGENT
            + " "
            + JAR
            + " && mount -t tmpfs tmpfs /tmp && "
            + before
            + java()
            + " -jar "
            + JAR
            + " off"
            + after);
  }

  private static void mustBeRoot() throws IOException {
    assumeTrue(
        Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "only root may mount");
  }

  private Path ownDirectory(String name) throws IOException {
    return Files.createDirectory(
        directory.resolve(name),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  private Process start(Jvm jvm, String options) throws Exception {
    return started(
        jvm.start(
            directory,
            List.of(
                "-javaagent:" + Jars.AGENT + "=" + options,
                "-XX:StartFlightRecording:name=test,settings=none",
                "-cp",
                Jars.apps().toString(),
                BurnsCpu.class.getName(),
                "900")));
  }

  private Process started(ProcessBuilder builder) throws IOException {
    Process process =
        builder
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(directory.resolve("target.txt").toFile())
            .start();
    started.add(process);
    return process;
  }

  private void awaitSamples(long pid) throws Exception {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    String said = "";
    while (System.nanoTime() < end) {
      Thread.sleep(1_000);
      Ended status = run(ForkedJvm.agentCommand("status", pid));
      said = status.out() + status.err();
      if (said.matches("(?s).*samples: [1-9].*")) {
        return;
      }
    }
    throw new IllegalStateException(said + Files.readString(directory.resolve("target.txt")));
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

  private static Ended run(Object... command) throws Exception {
    return Commands.run(command);
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }
}
