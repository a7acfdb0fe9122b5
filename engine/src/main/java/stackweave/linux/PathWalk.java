package stackweave.linux;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Resolves a path name by name, as the kernel does, and visits each directory and symbolic link on
 * it. The owner of each of these controls where the rest of the path leads, so callers check the
 * owners. Stateless.
 */
public final class PathWalk {
  /** As in the kernel: MAXSYMLINKS, include/linux/namei.h. */
  private static final int MAX_LINKS = 40;

  private PathWalk() {}

  /** Visits the directories and links of a path. */
  public interface Visitor {
    /**
     * The root directory, or a directory or link below it.
     *
     * @param part its path, absolute
     * @return whether to go on
     * @throws IOException to end with that
     */
    boolean visit(Path part, FileFacts facts) throws IOException;
  }

  /**
   * Resolves an absolute path.
   *
   * @param root the directory that {@code /} stands for
   * @return the path without links; null if the visitor ended it
   * @throws IOException also if a name does not exist, or there are too many links
   */
  public static Path follow(Path root, Path path, Visitor visitor) throws IOException {
    Path at = Path.of("/");
    Deque<Path> left = new ArrayDeque<>();
    path.forEach(left::addLast);
    if (!visitor.visit(at, FileFacts.of(root))) {
      return null;
    }
    for (int links = 0; !left.isEmpty(); ) {
      String name = left.removeFirst().toString();
      if (name.isEmpty() || name.equals(".")) {
        continue;
      }
      if (name.equals("..")) {
        at = at.getParent() == null ? at : at.getParent();
        continue;
      }
      Path part = at.resolve(name);
      Path there = root.resolve(part.toString().substring(1));
      FileFacts facts = FileFacts.of(there, LinkOption.NOFOLLOW_LINKS);
      if (!visitor.visit(part, facts)) {
        return null;
      }
      if (!facts.isLink()) {
        at = part;
        continue;
      }
      if (++links > MAX_LINKS) {
        throw new FileSystemException(path.toString(), null, "is behind too many links");
      }
      Path target = Files.readSymbolicLink(there);
      at = target.isAbsolute() ? Path.of("/") : at;
      for (int i = target.getNameCount() - 1; i >= 0; i--) {
        left.addFirst(target.getName(i));
      }
    }
    return at;
  }
}
