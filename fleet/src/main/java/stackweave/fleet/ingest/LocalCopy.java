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
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.spark.SparkEnv;

/**
 * A recording as a file of this machine, where the reader can go to and fro in it. Closing it
 * deletes the file. Not thread-safe.
 *
 * @param file the copy, unpacked
 * @param bytes of it
 * @param sha256 hash of it, in hexadecimal
 * @param hashOfBeginning hashes of the lengths that were asked for, as far as it is so long
 * @param incomplete why this is not the whole file as it was listed; empty if it is
 * @param damage why the original could not be unpacked to its end; empty if it was
 */
record LocalCopy(
    Path file,
    long bytes,
    String sha256,
    Map<Long, String> hashOfBeginning,
    String incomplete,
    String damage)
    implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 16;

  /** Environment variables that name directories for large files, by Spark's order. */
  private static final String[] DIRECTORIES = {
    "SPARK_EXECUTOR_DIRS", "LOCAL_DIRS", "SPARK_LOCAL_DIRS"
  };

  /**
   * Copies a file, and unpacks it if its name ends with {@code .gz}.
   *
   * @param beginnings also hash so many of its first bytes
   * @param most bytes of the copy
   * @throws IOException if the original can't be read now, or the copy not be written
   */
  static LocalCopy of(
      InputFile input, List<Long> beginnings, long most, Configuration configuration)
      throws IOException {
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(input.path());
    FileSystem files = path.getFileSystem(configuration);
    Path copy = temporaryFile(".jfr");
    try (FSDataInputStream file = files.open(path)) {
      Copying copying = new Copying(copy, beginnings, most);
      String damage = copying.all(file, input.path().endsWith(".gz"));
      String incomplete =
          copying.isTooLarge
              ? RecordingReader.tooLarge(most)
              : changed(files, path, input, file.getPos());
      return copying.end(incomplete, damage);
    } catch (IOException | RuntimeException e) {
      Files.delete(copy);
      throw e;
    }
  }

  /**
   * Says whether a file is another one than was listed: its samples would count twice as soon as it
   * has grown. HDFS shows an older size and time of a file that is still written than its content.
   */
  private static String changed(
      FileSystem files, org.apache.hadoop.fs.Path path, InputFile input, long bytesRead)
      throws IOException {
    try {
      FileStatus now = files.getFileStatus(path);
      boolean isSame =
          now.getLen() == input.size()
              && now.getModificationTime() == input.modified()
              && bytesRead <= input.size();
      return isSame ? "" : "changed while it was read; the next run looks at it again";
    } catch (FileNotFoundException e) {
      return ""; // it was deleted after it had been read
    }
  }

  /** Writes a copy and hashes it. */
  private static final class Copying {
    private final Path copy;
    private final SortedSet<Long> beginnings;
    private final long most;
    private final MessageDigest digest = newDigest();
    private final Map<Long, String> hashes = new HashMap<>();
    private long bytes;
    private boolean isTooLarge;

    Copying(Path copy, List<Long> beginnings, long most) {
      this.copy = copy;
      this.beginnings = new TreeSet<>(beginnings);
      this.most = most;
    }

    /** Copies all, and returns why the original could not be unpacked to its end, if so. */
    String all(InputStream file, boolean isPacked) throws IOException {
      try (OutputStream out = Files.newOutputStream(copy)) {
        if (!isPacked) {
          all(file, out);
          return "";
        }
        try {
          all(new GZIPInputStream(file), out);
          return "";
        } catch (EOFException | ZipException e) {
          return "can't be unpacked to its end: " + e.getMessage();
        }
      }
    }

    private void all(InputStream content, OutputStream out) throws IOException {
      byte[] buffer = new byte[BUFFER_BYTES];
      for (int count = content.read(buffer); count >= 0; count = content.read(buffer)) {
        if (bytes + count > most) {
          isTooLarge = true;
          return;
        }
        add(buffer, count);
        out.write(buffer, 0, count);
      }
    }

    private void add(byte[] buffer, int count) {
      int done = 0;
      while (!beginnings.isEmpty() && beginnings.first() <= bytes + count) {
        int length = (int) (beginnings.first() - bytes);
        digest.update(buffer, done, length - done);
        done = length;
        hashes.put(beginnings.first(), hex(cloned(digest)));
        beginnings.remove(beginnings.first());
      }
      digest.update(buffer, done, count - done);
      bytes += count;
    }

    LocalCopy end(String incomplete, String damage) {
      return new LocalCopy(copy, bytes, hex(digest), hashes, incomplete, damage);
    }
  }

  private static MessageDigest cloned(MessageDigest digest) {
    try {
      return (MessageDigest) digest.clone();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException(e); // the JDK's can be cloned
    }
  }

  /** A file for this task, where Spark has its own large files. */
  static Path temporaryFile(String ending) throws IOException {
    String setting = SparkEnv.get() == null ? "" : SparkEnv.get().conf().get("spark.local.dir", "");
    for (String value :
        Stream.concat(Stream.of(DIRECTORIES).map(LocalCopy::variable), Stream.of(setting))
            .toList()) {
      Path directory = Path.of(value.split("[,:]")[0]);
      if (directory.isAbsolute() && Files.isDirectory(directory)) {
        return Files.createTempFile(directory, "stackweave-", ending);
      }
    }
    return Files.createTempFile("stackweave-", ending);
  }

  private static String variable(String name) {
    return System.getenv().getOrDefault(name, "");
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
