package stackweave.agent.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import stackweave.maps.proc.PlainFiles;

/**
 * Checks that only this process's user and root can change a directory, or any directory on the
 * path to it. Thread-safe.
 */
public final class OwnDirectory {
  private static final String STATUS = "/proc/self/status";
  private static final int ROOT = 0;

  /** As in the kernel: MAXSYMLINKS, include/linux/namei.h. */
  private static final int MAX_LINKS = 40;

  private static final int WRITABLE_BY_OTHERS = 0022;
  private static final int STICKY = 01000;

  private OwnDirectory() {}

  /**
   * Why a path is no such directory, in a few words; null if it is one. A symbolic link to one is
   * not: whoever made the link controls where it leads. Use the path of {@link Path#toRealPath}
   * afterwards.
   *
   * @throws IOException if it doesn't exist or can't be read
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

  /**
   * Who else could exchange a file, in a few words; null if nobody but its owner, this process's
   * user and root could. The file itself is not looked at.
   *
   * @throws IOException if a directory can't be read
   */
  public static String problemAround(Path file) throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    return parent == null ? null : problemOnTheWay(parent, effectiveUid());
  }

  /** Checks name by name, as the kernel resolves: the owner of a link controls the rest. */
  private static String problemOnTheWay(Path to, int self) throws IOException {
    // In a user namespace the machine's root has the id of nobody. The owner of the root directory
    // controls everything below, so trusting that user loses nothing.
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

  /**
   * A user's name, or its number if it has none: ids above 2³¹, which the JDK shows below 0, too.
   */
  public static String userName(UserPrincipal user) {
    String name = user.getName();
    return name.matches("-\\d{1,10}") ? Integer.toUnsignedString((int) Long.parseLong(name)) : name;
  }

  private static boolean isOneOf(Map<String, Object> facts, int a, int b, int c) {
    int uid = (int) facts.get("uid");
    return uid == a || uid == b || uid == c;
  }

  private static int mode(Map<String, Object> facts) {
    return (int) facts.get("mode");
  }

  /**
   * The effective user id; proc_pid_status(5), the second number of Uid. Makes no native call, so
   * it works before JNA is loaded.
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
