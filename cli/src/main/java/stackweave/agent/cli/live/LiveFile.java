package stackweave.agent.cli.live;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import stackweave.linux.Descriptor;

/**
 * A recording in a file of the temporary directory that has no name any more, so that nothing is
 * left however this process ends. Used by {@link LiveRounds} and who takes its recordings.
 *
 * @param file open
 */
public record LiveFile(Descriptor file) implements AutoCloseable {
  static LiveFile create() throws IOException {
    Path named = Files.createTempFile("stackweave-", ".jfr"); // its owner's alone
    try {
      return new LiveFile(Descriptor.file(named));
    } finally {
      Files.delete(named);
    }
  }

  /** A path by which this process can read and write it until it is closed. */
  public Path path() {
    return file.path();
  }

  /** Its size in bytes. */
  public long bytes() throws IOException {
    return Files.size(path());
  }

  @Override
  public void close() {
    file.close();
  }
}
