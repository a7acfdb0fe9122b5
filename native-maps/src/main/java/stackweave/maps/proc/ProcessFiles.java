package stackweave.maps.proc;

import java.io.IOException;
import java.nio.file.Path;

/** Opens the files of a process by the paths that it has for them. */
@FunctionalInterface
public interface ProcessFiles {
  /** Those of this process: nothing is opened before it is read. */
  ProcessFiles OWN = OwnFile::new;

  /**
   * Opens a file. Of another process, which may have laid anything there, it is a regular file that
   * the process's user may read.
   *
   * @throws IOException if it can't be opened
   */
  OpenFile open(Path path) throws IOException;

  /** An open file. Not thread-safe. */
  interface OpenFile extends AutoCloseable {
    /** A path of this process that leads to it until it is closed. */
    Path path();

    @Override
    void close();
  }

  /** A file of this process. */
  record OwnFile(Path path) implements OpenFile {
    @Override
    public void close() {}
  }
}
