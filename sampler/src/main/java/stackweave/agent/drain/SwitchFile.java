package stackweave.agent.drain;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.function.Supplier;
import stackweave.agent.attach.SwitchPlaces;
import stackweave.agent.message.Messages;
import stackweave.linux.FileRights;
import stackweave.linux.OwnDirectory;

/**
 * The switch files: while one exists, nothing is sampled, whatever recordings request. They need no
 * attach, no JFR and no restart, so they work when those don't.
 *
 * <p>A file counts only in a directory that belongs to the JVM's user or root and that nobody else
 * can write, so other users can't switch sampling off. For the drain thread only.
 */
final class SwitchFile {
  private final FileRights rights;
  private final Messages messages;
  private final String name;
  private String[] names;

  /** Another one's switch file; null if none counts beside this one's. */
  private volatile Supplier<Path> other;

  /**
   * @param rights those of the drain thread; the switch file is this process's
   * @param name the file's absolute path, or empty: the default paths ({@link SwitchPlaces})
   */
  SwitchFile(FileRights rights, String name, Messages messages) {
    this.rights = rights;
    this.name = name;
    this.messages = messages;
  }

  /** The configured path, or empty. Any thread. */
  String name() {
    return name;
  }

  /**
   * Lets another file count, too. Any thread.
   *
   * @param other the file while it exists, else null; asked on the drain thread
   */
  void heed(Supplier<Path> other) {
    this.other = other;
  }

  /** The file that switches sampling off; null if there is none, which costs two system calls. */
  Path present() {
    // No lambda for the own process: the first one takes half a MiB of its heap.
    Path own = rights.areUnchanged() ? look() : rights.own(this::look);
    return own == null && other != null ? other.get() : own;
  }

  private Path look() {
    try {
      if (names == null) {
        names =
            name.isEmpty() ? SwitchPlaces.usual(OwnDirectory.effectiveUid()) : new String[] {name};
      }
      for (String candidate : names) {
        Path file = Path.of(candidate);
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && counts(file)) {
          return file;
        }
      }
      return null;
    } catch (IOException | InvalidPathException e) {
      messages.sampling("the switch file can't be looked for (" + e + ")");
      return null;
    }
  }

  private boolean counts(Path file) throws IOException {
    Path directory = file.getParent();
    String problem = directory == null ? "is missing" : OwnDirectory.problemOf(directory);
    if (problem == null) {
      return true;
    }
    messages.sampling("the switch file " + file + " does not count: its directory " + problem);
    return false;
  }
}
