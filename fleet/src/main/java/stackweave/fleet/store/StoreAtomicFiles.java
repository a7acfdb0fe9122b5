package stackweave.fleet.store;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Objects of a store that writes one under a condition, as S3 does by If-None-Match. It has no
 * lock: of two jobs the one that is later refuses at its end.
 */
record StoreAtomicFiles(FileSystem files) implements AtomicFiles {
  /** Hadoop's name for a write that fails if the object exists; S3A has it since 3.4.2. */
  private static final String CONDITIONAL = "fs.option.create.conditional.overwrite";

  /**
   * The store of a directory.
   *
   * @throws FleetException if it has no conditional writes
   */
  static StoreAtomicFiles of(HadoopPath directory) throws IOException, FleetException {
    FileSystem files = directory.files();
    if (!files.hasPathCapability(directory.path(), CONDITIONAL)) {
      throw new FleetException(
          "%s: its file system (%s) can't write a file only if it does not exist yet, so two jobs"
              + " could destroy each other's tables: write to file, hdfs, or an s3a store with"
              + " conditional writes (fs.s3a.create.conditional.enabled, Hadoop 3.4.2 or later)",
          directory.path(), files.getUri().getScheme());
    }
    return new StoreAtomicFiles(files);
  }

  @Override
  public boolean putIfAbsent(Path file, byte[] content) throws IOException {
    FSDataOutputStreamBuilder<?, ?> writing = files.createFile(file);
    writing.must(CONDITIONAL, true);
    try (FSDataOutputStream out = (FSDataOutputStream) writing.build()) {
      out.write(content);
    } catch (IOException e) {
      // S3A has several exceptions for it.
      if (files.exists(file)) {
        return false;
      }
      throw e;
    }
    return true;
  }

  @Override
  public AutoCloseable lock(Path file) {
    return () -> {};
  }
}
