package stackweave.agent.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import stackweave.maps.PlainFiles;

/**
 * Directories in which nobody but this process's user and root has a hand, nor in any directory on
 * the way there. Thread-safe.
 */
public final class OwnDirectory {
  private static final String STATUS = "/proc/self/status";
  private static final int ROOT = 0;
  private static final int WRITABLE_BY_OTHERS = 0022;
  private static final int STICKY = 01000;

  private OwnDirectory() {}

  /**
   * Why a path is no such directory, in a few words; null if it is one. A link to one is none:
   * whoever made the link chooses where it leads. To use it by the path that {@link
   * Path#toRealPath} gives keeps it so.
   *
   * @throws IOException if it isn't there or can't be looked at
   */
  public static String problemOf(Path path) throws IOException {
    Map<String, Object> facts =
        Files.readAttributes(path, "unix:isDirectory,uid,mode", LinkOption.NOFOLLOW_LINKS);
    int self = effectiveUid();
    if (!(boolean) facts.get("isDirectory")) {
      return "is no directory";
    }
    if (!isOneOf(facts, self, ROOT, self)) {
      return "belongs to another user";
    }
    if ((mode(facts) & WRITABLE_BY_OTHERS) != 0) {
      return "can be written by others";
    }
    // In a user namespace the machine's root has the number of nobody. Whoever owns the root
    // directory chooses all that is in it, so there is nothing to lose by trusting him.
    int top = (int) Files.getAttribute(path.toAbsolutePath().getRoot(), "unix:uid");
    for (Path p = path.toRealPath().getParent(); p != null; p = p.getParent()) {
      Map<String, Object> way = Files.readAttributes(p, "unix:uid,mode");
      if (!isOneOf(way, self, ROOT, top)) {
        return "is in " + p + ", which belongs to another user";
      }
      if ((mode(way) & WRITABLE_BY_OTHERS) != 0 && (mode(way) & STICKY) == 0) {
        return "is in " + p + ", which can be written by others";
      }
    }
    return null;
  }

  private static boolean isOneOf(Map<String, Object> facts, int a, int b, int c) {
    int uid = (int) facts.get("uid");
    return uid == a || uid == b || uid == c;
  }

  private static int mode(Map<String, Object> facts) {
    return (int) facts.get("mode");
  }

  /**
   * The user id that files are opened with; proc_pid_status(5), the second number of Uid. Asks for
   * no native call, so that it can be had before JNA is there.
   *
   * @throws IOException if /proc can't be read
   */
  public static int effectiveUid() throws IOException {
    for (String line : PlainFiles.lines(STATUS)) {
      if (line.startsWith("Uid:")) {
        return (int) Long.parseLong(line.split("\\s+")[2]);
      }
    }
    throw new IOException(STATUS + " has no Uid");
  }
}
