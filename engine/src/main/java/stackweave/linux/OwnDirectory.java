package stackweave.linux;

import java.io.IOException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import stackweave.maps.proc.PlainFiles;

/**
 * Checks that only this process's user and root can change a directory, or any directory on the
 * path to it. Thread-safe.
 */
public final class OwnDirectory {
  private static final String STATUS = "/proc/self/status";
  private static final int ROOT = 0;

  private OwnDirectory() {}

  /**
   * Why a path is no such directory, in a few words; null if it is one. A symbolic link is refused,
   * since its owner controls where it leads. Use the path of {@link Path#toRealPath} afterwards.
   *
   * @throws IOException if it doesn't exist or can't be read
   */
  public static String problemOf(Path path) throws IOException {
    FileFacts facts = FileFacts.of(path, LinkOption.NOFOLLOW_LINKS);
    int self = effectiveUid();
    if (!facts.isDirectory()) {
      return "is no directory";
    }
    if (facts.uid() != self && facts.uid() != ROOT) {
      return "belongs to another user";
    }
    if (facts.isShared()) {
      return "can be written by others";
    }
    Path absolute = path.toAbsolutePath();
    return absolute.getParent() == null ? null : problemOnTheWay(absolute.getParent(), self);
  }

  /**
   * Which other user could replace a file, in a few words; null if only its owner, this process's
   * user and root could. The file itself is not checked.
   *
   * @throws IOException if a directory can't be read
   */
  public static String problemAround(Path file) throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    return parent == null ? null : problemOnTheWay(parent, effectiveUid());
  }

  /** The owner of a directory or link on the way controls the rest of it. */
  private static String problemOnTheWay(Path to, int self) throws IOException {
    // In a user namespace the machine's root has the id of nobody. The owner of the root directory
    // controls everything below, so trusting that user loses nothing.
    int top = FileFacts.of(to.getRoot()).uid();
    String[] problem = new String[1];
    PathWalk.follow(
        to.getRoot(),
        to,
        (part, facts) -> {
          problem[0] = problemWith(part, facts, self, top);
          return problem[0] == null;
        });
    return problem[0];
  }

  private static String problemWith(Path on, FileFacts facts, int self, int top) {
    String where = (facts.isLink() ? "is behind the link " : "is in ") + on + ", which ";
    if (facts.uid() != self && facts.uid() != ROOT && facts.uid() != top) {
      return where + "belongs to another user";
    }
    boolean isExchangeable = !facts.isLink() && facts.isShared() && !facts.isSticky();
    return isExchangeable ? where + "can be written by others" : null;
  }

  /**
   * A user's name, or its number if it has none: ids above 2³¹, which the JDK shows below 0, too.
   */
  public static String userName(UserPrincipal user) {
    String name = user.getName();
    return name.matches("-\\d{1,10}") ? Integer.toUnsignedString((int) Long.parseLong(name)) : name;
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
