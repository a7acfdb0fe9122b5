package stackweave.fleet.store;

import java.io.IOException;
import org.apache.hadoop.fs.Path;

/** What the tables need of a file system beyond reading and writing. */
sealed interface AtomicFiles permits LocalAtomicFiles, HdfsAtomicFiles, StoreAtomicFiles {
  /**
   * Writes a small file under a name that is free: whole, or not at all.
   *
   * @return false if the name is taken
   */
  boolean putIfAbsent(Path file, byte[] content) throws IOException;

  /**
   * Locks a file, so that another job can't until this one has closed it or has ended, however.
   *
   * @return null if another job has it; closing it gives it back
   */
  AutoCloseable lock(Path file) throws IOException;

  /**
   * The way for a directory.
   *
   * @throws FleetException if its file system can't make a file visible at once
   */
  static AtomicFiles of(HadoopPath directory) throws IOException, FleetException {
    return switch (directory.files().getUri().getScheme()) {
      case "file" -> new LocalAtomicFiles();
      case "hdfs" -> new HdfsAtomicFiles(directory.files());
      default -> StoreAtomicFiles.of(directory);
    };
  }
}
