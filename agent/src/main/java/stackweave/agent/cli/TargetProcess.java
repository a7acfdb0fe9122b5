package stackweave.agent.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * What /proc says of a process before anything is done to it (proc(5), status). An attach sends
 * SIGQUIT, which ends whatever does not expect it: so all is looked at first.
 *
 * @param pid as this process sees it
 * @param uid effective user id
 * @param gid effective group id
 */
record TargetProcess(long pid, int uid, int gid) {
  private static final int ROOT = 0;

  /** The first whose attach finds the socket of a JVM that has its own /tmp only (JDK-8327114). */
  private static final int FINDS_OTHER_TMP = 23;

  /** Bit of SIGQUIT in the masks of signals. */
  private static final long SIGQUIT_BIT = 1L << (3 - 1);

  /**
   * Looks whether this is a JVM that this user may attach to.
   *
   * @throws FailedException where it isn't, with the reason for the user
   */
  static TargetProcess check(long pid) throws FailedException {
    if (pid == ProcessHandle.current().pid()) {
      throw new FailedException("process " + pid + " is this command itself");
    }
    Map<String, String> status = status(pid);
    Map<String, String> own = status(ProcessHandle.current().pid());
    TargetProcess target =
        new TargetProcess(pid, effectiveId(status, "Uid"), effectiveId(status, "Gid"));
    int ownUid = effectiveId(own, "Uid");
    if (ownUid != ROOT && ownUid != target.uid) {
      throw new FailedException(
          "process "
              + pid
              + " belongs to another user ("
              + target.userName()
              + "): run this as that user, or as root");
    }
    target.mustBeJvm();
    if ((Long.parseUnsignedLong(status.get("SigCgt"), 16) & SIGQUIT_BIT) == 0) {
      throw new FailedException(
          "the JVM "
              + pid
              + " does not take attach requests: it runs with -Xrs, or has only begun to start");
    }
    target.mustBeReachable(status);
    return target;
  }

  /**
   * An older JDK looks for the socket in our /tmp unless the process ids differ, and asks for a
   * thread dump every second until it gives up.
   */
  private void mustBeReachable(Map<String, String> status) throws FailedException {
    boolean samePids = status.getOrDefault("NSpid", "").split("\\s+").length <= 1;
    if (samePids
        && Runtime.version().feature() < FINDS_OTHER_TMP
        && !sees(Path.of("/tmp").toAbsolutePath())) {
      throw new FailedException(
          "the JVM "
              + pid
              + " has a /tmp of its own, where this Java can't reach it: use Java 23 or newer, or"
              + " nsenter --target "
              + pid
              + " --mount java -jar ...");
    }
  }

  /** Its file system as it sees it. */
  Path root() {
    return Path.of("/proc", Long.toString(pid), "root");
  }

  /** Whether a file of ours is the same file under the same name in its sight. */
  boolean sees(Path file) {
    try {
      return Files.isSameFile(inItsSight(file), file);
    } catch (IOException e) {
      return false;
    }
  }

  /** Where we find what it finds under this absolute name. */
  Path inItsSight(Path file) {
    return root().resolve(file.getRoot().relativize(file));
  }

  private String userName() {
    try {
      return Files.getOwner(Path.of("/proc", Long.toString(pid))).getName();
    } catch (IOException e) {
      return "uid " + uid;
    }
  }

  private void mustBeJvm() throws FailedException {
    try {
      byte[] maps = Files.readAllBytes(Path.of("/proc", Long.toString(pid), "maps"));
      if (!new String(maps, StandardCharsets.ISO_8859_1).contains("/libjvm.so")) {
        throw new FailedException("process " + pid + " is no JVM (it has no libjvm.so mapped)");
      }
    } catch (IOException e) {
      throw new FailedException(
          "process " + pid + " can't be looked at (" + FailedException.reason(e) + ")");
    }
  }

  private static Map<String, String> status(long pid) throws FailedException {
    try {
      Map<String, String> status = new HashMap<>();
      for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
        int colon = line.indexOf(':');
        status.put(line.substring(0, Math.max(0, colon)), line.substring(colon + 1).strip());
      }
      return status;
    } catch (IOException e) {
      throw new FailedException("there is no process " + pid);
    }
  }

  /** The second of real, effective, saved, file system. */
  private static int effectiveId(Map<String, String> status, String name) {
    return Integer.parseInt(status.get(name).split("\\s+")[1]);
  }
}
