package stackweave.agent.linux;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;
import java.util.Set;

/** Directories in which nobody but this process's user has a hand. Thread-safe. */
public final class OwnDirectory {
  private static final Path STATUS = Path.of("/proc/self/status");

  private OwnDirectory() {}

  /**
   * Why a path is no such directory, in a few words; null if it is one. A link to one is none:
   * whoever made the link chooses where it leads.
   *
   * @throws IOException if it isn't there or can't be looked at
   */
  public static String problemOf(Path path) throws IOException {
    Map<String, Object> facts =
        Files.readAttributes(path, "unix:isDirectory,uid,permissions", LinkOption.NOFOLLOW_LINKS);
    if (!(boolean) facts.get("isDirectory")) {
      return "is no directory";
    }
    if ((int) facts.get("uid") != effectiveUid()) {
      return "belongs to another user";
    }
    Set<?> permissions = (Set<?>) facts.get("permissions");
    boolean shared =
        permissions.contains(PosixFilePermission.GROUP_WRITE)
            || permissions.contains(PosixFilePermission.OTHERS_WRITE);
    return shared ? "can be written by others" : null;
  }

  /**
   * The user id that files are opened with; proc_pid_status(5), the second number of Uid. Asks for
   * no native call, so that it can be had before JNA is there.
   *
   * @throws IOException if /proc can't be read
   */
  public static int effectiveUid() throws IOException {
    for (String line : Files.readAllLines(STATUS, StandardCharsets.ISO_8859_1)) {
      if (line.startsWith("Uid:")) {
        return (int) Long.parseLong(line.split("\\s+")[2]);
      }
    }
    throw new IOException(STATUS + " has no Uid");
  }
}
