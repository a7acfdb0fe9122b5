package stackweave.agent.drain;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import stackweave.agent.linux.OwnDirectory;

/**
 * The switch file: while it is there, nothing is sampled, whatever recordings ask for. It needs no
 * attach, no JFR and no restart, so it works where those don't.
 *
 * <p>It counts only in a directory that is the JVM's user's alone: nobody else may switch sampling
 * off, or learn by trying. For the drain thread only.
 */
final class SwitchFile {
  private final Messages messages;
  private String name;

  /**
   * @param name the file's absolute path, or empty: {@code off} in {@code /tmp/.stackweave-<uid>}
   */
  SwitchFile(String name, Messages messages) {
    this.name = name;
    this.messages = messages;
  }

  /** The file that switches sampling off now; null if there is none. One system call if so. */
  Path present() {
    try {
      name = name.isEmpty() ? usual() : name;
      Path file = Path.of(name);
      if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        return null;
      }
      Path directory = file.getParent();
      String problem = directory == null ? "is missing" : OwnDirectory.problemOf(directory);
      if (problem == null) {
        return file;
      }
      messages.sampling("the switch file " + file + " does not count: its directory " + problem);
      return null;
    } catch (IOException | InvalidPathException e) {
      messages.sampling("the switch file can't be looked for (" + e + ")");
      return null;
    }
  }

  private static String usual() throws IOException {
    return "/tmp/.stackweave-" + OwnDirectory.effectiveUid() + "/off";
  }
}
