package stackweave.fleet.ingest;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.apache.hadoop.conf.Configuration;

/**
 * A recording as a file of this machine, where the reader can go to and fro in it. Closing it
 * deletes the file. Not thread-safe.
 *
 * @param file the copy, unpacked
 * @param sha256 hash of the bytes that were copied, in hexadecimal
 * @param hashOfBeginning hash of as many bytes as were asked for; empty if none were
 * @param isTooLarge whether the copy ends where it would have become too large
 * @param damage why the original could not be unpacked to its end; empty if it was
 */
record LocalCopy(
    Path file, String sha256, String hashOfBeginning, boolean isTooLarge, String damage)
    implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 16;

  /** Environment variables that name directories for large files, by Spark's order. */
  private static final String[] DIRECTORIES = {
    "SPARK_EXECUTOR_DIRS", "LOCAL_DIRS", "SPARK_LOCAL_DIRS"
  };

  /**
   * Copies a file, and unpacks it if its name ends with {@code .gz}.
   *
   * @param beginning also hash so many of its first bytes; 0 for none
   * @param most bytes of the copy
   * @throws IOException if the original can't be read now, or the copy not be written
   */
  static LocalCopy of(InputFile input, long beginning, long most, Configuration configuration)
      throws IOException {
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(input.path());
    Path copy = temporaryFile(".jfr");
    MessageDigest all = newDigest();
    MessageDigest first = newDigest();
    String damage = "";
    boolean isTooLarge = false;
    try (InputStream file = path.getFileSystem(configuration).open(path);
        OutputStream out = Files.newOutputStream(copy)) {
      byte[] buffer = new byte[BUFFER_BYTES];
      long copied = 0;
      InputStream content = input.path().endsWith(".gz") ? new GZIPInputStream(file) : file;
      for (int count = content.read(buffer); count >= 0; count = content.read(buffer)) {
        all.update(buffer, 0, count);
        first.update(buffer, 0, (int) Math.max(0, Math.min(count, beginning - copied)));
        copied += count;
        if (copied > most) {
          isTooLarge = true;
          break;
        }
        out.write(buffer, 0, count);
      }
    } catch (EOFException | ZipException e) {
      damage = "can't be unpacked to its end: " + e.getMessage();
    } catch (IOException | RuntimeException e) {
      Files.delete(copy);
      throw e;
    }
    return new LocalCopy(copy, hex(all), beginning > 0 ? hex(first) : "", isTooLarge, damage);
  }

  /** A file for this task, where there is room. */
  static Path temporaryFile(String ending) throws IOException {
    for (String name : DIRECTORIES) {
      String value = System.getenv(name);
      if (value != null && Files.isDirectory(Path.of(value.split("[,:]")[0]))) {
        return Files.createTempFile(Path.of(value.split("[,:]")[0]), "stackweave-", ending);
      }
    }
    return Files.createTempFile("stackweave-", ending);
  }

  /** May be closed several times. */
  @Override
  public void close() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The digest that names recordings and stacks. */
  static MessageDigest newDigest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // each Java platform has it
    }
  }

  private static String hex(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest());
  }
}
