package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;

/** {@code off} and {@code on} with links, and files of other users. */
@Isolated("switches off what its user samples")
class SwitchCommandMoreIT extends SwitchedJvm {
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
}
