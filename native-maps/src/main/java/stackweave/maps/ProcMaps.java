package stackweave.maps;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads /proc/PID/maps.
 *
 * <p>The line is {@code start-end rwxp offset major:minor inode path}, all numbers but the inode in
 * hexadecimal. The kernel writes a newline of a path as {@code \012} and nothing else escaped, so a
 * path that holds these four characters itself can't be told from one with a newline.
 */
public final class ProcMaps {
  private static final String DELETED = " (deleted)";

  private ProcMaps() {}

  /**
   * The mappings of a process, lowest address first.
   *
   * @param process its directory, such as /proc/self
   * @throws IOException if the file can't be read or has a line that is not understood
   */
  public static List<Mapping> read(Path process) throws IOException {
    return parse(text(process));
  }

  /** The text of a process's maps; some 100 bytes a line, of which a library has about five. */
  static byte[] text(Path process) throws IOException {
    return Files.readAllBytes(process.resolve("maps"));
  }

  /** Those lines of {@link #text} that are of executable mappings, or not understood. */
  static byte[] executable(byte[] text) {
    byte[] lines = new byte[text.length];
    int length = 0;
    int at = 0;
    while (at < text.length) {
      int permissions = at;
      while (permissions < text.length && text[permissions] > ' ') {
        permissions++;
      }
      int end = permissions;
      while (end < text.length && text[end] != '\n') {
        end++;
      }
      int next = Math.min(end + 1, text.length);
      boolean known = permissions + 3 < end && text[permissions + 3] == '-';
      if (!known) {
        System.arraycopy(text, at, lines, length, next - at);
        length += next - at;
      }
      at = next;
    }
    return Arrays.copyOf(lines, length);
  }

  /** As {@link #parse(String)}. */
  static List<Mapping> parse(byte[] text) throws IOException {
    return parse(new String(text, StandardCharsets.UTF_8));
  }

  /**
   * The mappings of a text in the format of /proc/PID/maps.
   *
   * @throws IOException if a line is not understood
   */
  public static List<Mapping> parse(String text) throws IOException {
    List<Mapping> mappings = new ArrayList<>();
    int at = 0;
    while (at < text.length()) {
      int end = text.indexOf('\n', at);
      if (end < 0) {
        end = text.length();
      }
      mappings.add(line(text.substring(at, end)));
      at = end + 1;
    }
    return mappings;
  }

  private static Mapping line(String line) throws IOException {
    try {
      int dash = line.indexOf('-');
      int permissions = line.indexOf(' ') + 1;
      int offset = line.indexOf(' ', permissions) + 1;
      int device = line.indexOf(' ', offset) + 1;
      int colon = line.indexOf(':', device);
      int inode = line.indexOf(' ', device) + 1;
      int inodeEnd = line.indexOf(' ', inode);
      if (inodeEnd < 0) {
        inodeEnd = line.length();
      }
      String path = path(line, inodeEnd);
      boolean deleted = path.endsWith(DELETED);
      return new Mapping(
          Long.parseUnsignedLong(line, 0, dash, 16),
          Long.parseUnsignedLong(line, dash + 1, permissions - 1, 16),
          line.charAt(permissions) == 'r',
          line.charAt(permissions + 1) == 'w',
          line.charAt(permissions + 2) == 'x',
          line.charAt(permissions + 3) == 's',
          Long.parseUnsignedLong(line, offset, device - 1, 16),
          Integer.parseInt(line, device, colon, 16),
          Integer.parseInt(line, colon + 1, inode - 1, 16),
          Long.parseUnsignedLong(line, inode, inodeEnd, 10),
          deleted ? path.substring(0, path.length() - DELETED.length()) : path,
          deleted);
    } catch (IndexOutOfBoundsException | NumberFormatException e) {
      throw new IOException("not a line of /proc/PID/maps: " + line, e);
    }
  }

  /** The path is padded to a column with spaces, so it begins at its first other character. */
  private static String path(String line, int from) {
    int at = from;
    while (at < line.length() && line.charAt(at) == ' ') {
      at++;
    }
    return line.substring(at).replace("\\012", "\n");
  }
}
