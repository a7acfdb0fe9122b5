package stackweave.maps.proc;

import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Reads small files, such as those of /proc, without {@code java.nio}, which copies through a
 * direct buffer per thread: that counts against the application's {@code -XX:MaxDirectMemorySize}
 * and, when it is used up, causes a full collection and an OutOfMemoryError ({@code
 * sun.nio.ch.IOUtil}, {@code java.nio.Bits.reserveMemory}). Thread-safe.
 */
public final class PlainFiles {
  /** Reads of up to this many bytes use a buffer on the stack ({@code io_util.c} of the JDK). */
  static final int BUFFER = 8192;

  private PlainFiles() {}

  /**
   * The contents of a file.
   *
   * @throws IOException if it can't be read
   */
  public static byte[] bytes(String path) throws IOException {
    try (FileInputStream in = new FileInputStream(path)) {
      byte[] buffer = new byte[BUFFER];
      int length = Math.max(0, in.read(buffer));
      ByteArrayOutputStream bytes = new ByteArrayOutputStream(length);
      while (length > 0) {
        bytes.write(buffer, 0, length);
        length = in.read(buffer);
      }
      return bytes.toByteArray();
    }
  }

  /**
   * A file's text.
   *
   * @throws IOException if it can't be read
   */
  public static String text(String path, Charset charset) throws IOException {
    return new String(bytes(path), charset);
  }

  /**
   * A file's lines, in ISO 8859-1, so that no byte is rejected.
   *
   * @throws IOException if it can't be read
   */
  public static List<String> lines(String path) throws IOException {
    String[] parts = text(path, StandardCharsets.ISO_8859_1).split("\n", -1);
    int last = parts.length - 1;
    return List.of(parts).subList(0, parts[last].isEmpty() ? last : parts.length);
  }
}
