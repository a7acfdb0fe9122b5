package stackweave.linux;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import stackweave.jfr.process.SampledProcess;
import stackweave.maps.proc.ProcessFiles;

/**
 * The files of another process, which it controls: found below its root directory, as it was at the
 * beginning, which no link leads out of; regular files alone, so that no open has an effect or
 * waits for a writer. Who opens them has the rights of its user ({@link FileRights}). Not
 * thread-safe.
 */
public final class FilesBelowRoot implements ProcessFiles, AutoCloseable {
  /**
   * Of links to what it has mapped. Below its other links there are other files than its root's.
   */
  private final Path mapFiles;

  private final Descriptor root;

  /** The root's own path, with which the kernel begins paths in maps; empty for the machine's. */
  private final String prefix;

  private FilesBelowRoot(Path mapFiles, Descriptor root, String prefix) {
    this.mapFiles = mapFiles;
    this.root = root;
    this.prefix = prefix;
  }

  /**
   * Those of a process.
   *
   * @throws IOException if it has ended, or may not be looked at
   */
  public static FilesBelowRoot of(SampledProcess process) throws IOException {
    // A process that is in a root of its own within the same mounts has paths from their root.
    String prefix = Files.readSymbolicLink(Path.of(process.file("root"))).toString();
    try (Descriptor directory = Descriptor.directory(process.directory().toString())) {
      return new FilesBelowRoot(
          Path.of(process.file("map_files")),
          directory.followMagicLink("root"),
          prefix.equals("/") ? "" : prefix);
    }
  }

  @Override
  public Descriptor open(Path path) throws IOException {
    try (Descriptor found =
        mapFiles.equals(path.getParent())
            ? Descriptor.target(path)
            : root.find(inRoot(path.toString()))) {
      if (!found.facts().isRegular()) {
        throw new FileSystemException(path.toString(), null, "is no regular file");
      }
      return found.readable();
    }
  }

  private String inRoot(String path) {
    return path.startsWith(prefix + "/") ? path.substring(prefix.length()) : path;
  }

  @Override
  public void close() {
    root.close();
  }
}
