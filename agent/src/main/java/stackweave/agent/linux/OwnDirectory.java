package stackweave.agent.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import stackweave.maps.proc.PlainFiles;

/**
 * Directories in which nobody but this process's user and root has a hand, nor in any directory on
 * the way there. Thread-safe.
 */
public final class OwnDirectory {
  private static final String STATUS = "/proc/self/status";
  private static final int ROOT = 0;

  /** As the kernel: MAXSYMLINKS in include/linux/namei.h. */
  private static final int MAX_LINKS = 40;

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
    Path absolute = path.toAbsolutePath();
    return absolute.getParent() == null ? null : problemOnTheWay(absolute.getParent(), self);
  }

  /** Goes name by name, as the kernel does: whoever owns a link on the way chooses the rest. */
  private static String problemOnTheWay(Path to, int self) throws IOException {
    // In a user namespace the machine's root has the number of nobody. Whoever owns the root
    // directory chooses all that is in it, so there is nothing to lose by trusting him.
    Path at = to.getRoot();
    int top = (int) Files.getAttribute(at, "unix:uid");
    Deque<Path> left = new ArrayDeque<>();
    to.forEach(left::addLast);
    String problem = problemWith(at, facts(at), self, top);
    for (int links = 0; problem == null && !left.isEmpty(); ) {
      String name = left.removeFirst().toString();
      if (name.isEmpty() || name.equals(".")) {
        continue;
      }
      if (name.equals("..")) {
        at = at.getParent() == null ? at : at.getParent();
        continue;
      }
      Path part = at.resolve(name);
      Map<String, Object> facts = facts(part);
      problem = problemWith(part, facts, self, top);
      if (!(boolean) facts.get("isSymbolicLink")) {
        at = part;
        continue;
      }
      if (++links > MAX_LINKS) {
        return "is behind too many links";
      }
      Path target = Files.readSymbolicLink(part);
      at = target.isAbsolute() ? target.getRoot() : at;
      for (int i = target.getNameCount() - 1; i >= 0; i--) {
        left.addFirst(target.getName(i));
      }
    }
    return problem;
  }

  private static Map<String, Object> facts(Path path) throws IOException {
    return Files.readAttributes(path, "unix:isSymbolicLink,uid,mode", LinkOption.NOFOLLOW_LINKS);
  }

  private static String problemWith(Path on, Map<String, Object> facts, int self, int top) {
    boolean isLink = (boolean) facts.get("isSymbolicLink");
    String where = (isLink ? "is behind the link " : "is in ") + on + ", which ";
    if (!isOneOf(facts, self, ROOT, top)) {
      return where + "belongs to another user";
    }
    boolean shared = !isLink && (mode(facts) & WRITABLE_BY_OTHERS) != 0;
    return shared && (mode(facts) & STICKY) == 0 ? where + "can be written by others" : null;
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
