package stackweave.agent.cli.common;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import stackweave.agent.linux.OwnDirectory;

/**
 * Whether the directory that a file is written to was the caller's choice. Who owns a directory or
 * a link on the way to it decides where the rest of the way leads, and may send a file of root's
 * wherever he likes: so only to a directory of his own. Used by {@link OutputFile}.
 */
final class OutputPlace {
  /** As many as the kernel follows. */
  private static final int MAX_LINKS = 40;

  private OutputPlace() {}

  /**
   * Checks the way to a directory that is open already. Its owner, and who is met on the way first,
   * nobody else can change meanwhile: what he could exchange lies behind him.
   *
   * @param directory absolute
   * @param owner of the directory that was opened by that name
   * @param caller the owner of the files that are written
   * @throws FileSystemException if another user decides where that is
   */
  static void mustBeChosen(Path directory, UserPrincipal owner, UserPrincipal caller)
      throws IOException {
    UserPrincipal stranger = firstStranger(directory, caller);
    if (stranger != null && !stranger.equals(owner)) {
      throw new FileSystemException(
          directory.toString(),
          null,
          "the way to it is another user's ("
              + OwnDirectory.userName(stranger)
              + "), who may lead it elsewhere: name the directory itself, without links, or choose"
              + " another -o");
    }
  }

  /** The owner of the first directory or link on the way that is no one trusted; or null. */
  private static UserPrincipal firstStranger(Path directory, UserPrincipal caller)
      throws IOException {
    Path root = Path.of("/");
    Set<UserPrincipal> trusted =
        Set.copyOf(
            List.of(
                caller,
                Files.getOwner(root, LinkOption.NOFOLLOW_LINKS),
                root.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("0")));
    Deque<Path> left = new ArrayDeque<>();
    directory.forEach(left::add);
    Path at = root;
    int links = 0;
    while (!left.isEmpty()) {
      Path name = left.pop();
      Path next = at.resolve(name);
      PosixFileAttributes facts =
          Files.readAttributes(next, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      if (!trusted.contains(facts.owner())) {
        return facts.owner();
      }
      if (!facts.isSymbolicLink()) {
        at = name.toString().equals("..") ? parent(at) : next;
      } else if (++links > MAX_LINKS) {
        throw new FileSystemException(directory.toString(), null, "too many links");
      } else {
        Path target = Files.readSymbolicLink(next);
        for (int i = target.getNameCount() - 1; i >= 0; i--) {
          left.push(target.getName(i));
        }
        at = target.isAbsolute() ? root : at;
      }
    }
    return null;
  }

  /** There are no links in {@code path}. */
  private static Path parent(Path path) {
    return path.getParent() == null ? path : path.getParent();
  }
}
