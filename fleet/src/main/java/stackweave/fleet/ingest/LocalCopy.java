package stackweave.fleet.ingest;

import java.io.EOFException;
import java.io.FileNotFoundException;
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
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;

/**
 * A recording as a file of this machine, where the reader can go to and fro in it. Closing it
 * deletes the file. Not thread-safe.
 *
 * @param file the copy, unpacked
 * @param sha256 hash of the bytes that were copied, in hexadecimal
 * @param hashOfBeginning hash of as many bytes as were asked for; empty if none were
 * @param incomplete why this is not the whole file as it was listed; empty if it is
 * @param damage why the original could not be unpacked to its end; empty if it was
 */
record LocalCopy(Path file, String sha256, String hashOfBeginning, String incomplete, String damage)
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
    String incomplete;
    FileSystem files = path.getFileSystem(configuration);
    try (FSDataInputStream file = files.open(path);
        OutputStream out = Files.newOutputStream(copy)) {
      byte[] buffer = new byte[BUFFER_BYTES];
      long copied = 0;
      int count = -1;
      try {
        InputStream content = input.path().endsWith(".gz") ? new GZIPInputStream(file) : file;
        count = content.read(buffer);
        for (; count >= 0 && copied + count <= most; count = content.read(buffer)) {
          all.update(buffer, 0, count);
          first.update(buffer, 0, (int) Math.max(0, Math.min(count, beginning - copied)));
          copied += count;
          out.write(buffer, 0, count);
        }
      } catch (EOFException | ZipException e) {
        damage = "can't be unpacked to its end: " + e.getMessage();
        count = -1;
      }
      incomplete =
          count >= 0
              ? "is larger than " + (most >> 20) + " MiB, the limit (--max-size)"
              : changed(files, input, file.getPos());
    } catch (IOException | RuntimeException e) {
      Files.delete(copy);
      throw e;
    }
    return new LocalCopy(copy, hex(all), beginning > 0 ? hex(first) : "", incomplete, damage);
  }

  /**
   * Says whether a file is another one than was listed: its samples would count twice as soon as it
   * has grown. HDFS shows an older size and time of a file that is still written than its content.
   */
  private static String changed(FileSystem files, InputFile input, long bytesRead)
      throws IOException {
    try {
      FileStatus now = files.getFileStatus(new org.apache.hadoop.fs.Path(input.path()));
      boolean isSame =
          now.getLen() == input.size()
              && now.getModificationTime() == input.modified()
              && bytesRead <= input.size();
      return isSame ? "" : "changed while it was read; the next run looks at it again";
    } catch (FileNotFoundException e) {
      return ""; // it was deleted after it had been read
    }
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
