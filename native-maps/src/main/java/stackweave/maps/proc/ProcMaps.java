package stackweave.maps.proc;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads /proc/PID/maps, with lines {@code start-end rwxp offset major:minor inode path}, all
 * numbers but the inode in hexadecimal. The kernel writes a newline in a path as {@code \012} and
 * escapes nothing else, so a path that contains these four characters can't be told from one with a
 * newline. Stateless.
 */
public final class ProcMaps {
  private static final String DELETED = " (deleted)";

  /** A path has up to 4095 bytes, each written as up to four. */
  private static final int MAX_LINE = 32 << 10;

  /** Characters of paths that are kept: of 65,530 mappings each may have 16 KiB. */
  private static final int MAX_PATHS = 16 << 20;

  /** About what a line has without a path. */
  private static final int NUMBERS = 73;

  private ProcMaps() {}

  /**
   * The mappings of a process, lowest address first; not all, if their paths are longer than 16 MiB
   * together.
   *
   * @param process its directory, such as /proc/self
   * @throws IOException if the file can't be read or has a line that is not understood
   */
  public static List<Mapping> read(Path process) throws IOException {
    List<Mapping> mappings = new ArrayList<>();
    try (Lines lines = new Lines(process)) {
      while (lines.next() && lines.hasRoom()) {
        mappings.add(line(lines.text()));
      }
    }
    return mappings;
  }

  /** The lines of executable mappings and those not understood; as many as {@link #read} has. */
  public static List<String> executable(Path process) throws IOException {
    List<String> kept = new ArrayList<>();
    try (Lines lines = new Lines(process)) {
      while (lines.next() && lines.hasRoom()) {
        if (lines.mayBeExecutable()) {
          kept.add(lines.text());
        }
      }
    }
    return kept;
  }

  /**
   * Reads line by line, since tens of thousands of mappings are megabytes of text; not by {@code
   * java.nio}, see {@link PlainFiles}.
   */
  private static final class Lines implements AutoCloseable {
    private final byte[] buffer = new byte[MAX_LINE];
    private final FileInputStream in;
    private int length;

    /** Start and end of the last line. */
    private int at;

    private int end = -1;

    private int paths;

    Lines(Path process) throws IOException {
      in = new FileInputStream(process.resolve("maps").toFile());
    }

    /** Moves to the next line; false at the end. */
    boolean next() throws IOException {
      at = end + 1;
      end = at;
      while (true) {
        while (end < length && buffer[end] != '\n') {
          end++;
        }
        if (end < length) {
          return true;
        }
        System.arraycopy(buffer, at, buffer, 0, length - at);
        length -= at;
        end = length;
        at = 0;
        if (length == MAX_LINE) {
          throw new IOException("not a line of /proc/PID/maps: it has no end");
        }
        int read = in.read(buffer, length, Math.min(PlainFiles.BUFFER, MAX_LINE - length));
        if (read <= 0) {
          return length > 0 && endsHere();
        }
        length += read;
      }
    }

    /** Completes the last line of a text that doesn't end with a newline. */
    private boolean endsHere() {
      buffer[length++] = '\n';
      return true;
    }

    boolean mayBeExecutable() {
      int permissions = at;
      while (permissions < end && buffer[permissions] > ' ') {
        permissions++;
      }
      return permissions + 3 >= end || buffer[permissions + 3] != '-';
    }

    boolean hasRoom() {
      return paths < MAX_PATHS;
    }

    String text() {
      paths += Math.max(0, end - at - NUMBERS);
      return new String(buffer, at, end - at, StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }

  /**
   * The mappings of lines in the format of /proc/PID/maps.
   *
   * @throws IOException if a line is not understood
   */
  public static List<Mapping> parse(List<String> lines) throws IOException {
    List<Mapping> mappings = new ArrayList<>();
    for (String line : lines) {
      mappings.add(line(line));
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
