package stackweave.agent.drain;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import stackweave.agent.attach.SwitchPlaces;
import stackweave.agent.linux.OwnDirectory;
import stackweave.agent.message.Messages;

/**
 * The switch files: while one is there, nothing is sampled, whatever recordings ask for. They need
 * no attach, no JFR and no restart, so they work where those don't.
 *
 * <p>One counts only in a directory that is the JVM's user's or root's alone: nobody else may
 * switch sampling off, or learn by trying. For the drain thread only.
 */
final class SwitchFile {
  private final Messages messages;
  private final String name;
  private String[] names;

  /**
   * @param name the file's absolute path, or empty: the usual ones ({@link SwitchPlaces})
   */
  SwitchFile(String name, Messages messages) {
    this.name = name;
    this.messages = messages;
  }

  /** The name that was given, or empty. Any thread. */
  String name() {
    return name;
  }

  /** The file that switches sampling off now; null if there is none. Two system calls if so. */
  Path present() {
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
