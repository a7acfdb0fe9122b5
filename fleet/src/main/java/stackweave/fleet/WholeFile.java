package stackweave.fleet;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import stackweave.fleet.store.FleetException;
import stackweave.jfr.export.Export;
import stackweave.jfr.read.Profile;
import stackweave.jfr.read.RecordingException;

/** A file of the driver's machine that is written whole, or stays as it was. Stateless. */
final class WholeFile {
  private WholeFile() {}

  /** Refuses a file that can't be written, before the work for it is done. */
  static void check(Path file) throws FleetException {
    Path parent = file.toAbsolutePath().getParent();
    if (parent == null || !Files.isDirectory(parent) || !Files.isWritable(parent)) {
      throw new FleetException("-o %s: %s is no directory to write into", file, parent);
    }
  }

  static <P extends Profile> void write(Path file, Export<P> export, P profile)
      throws IOException, RecordingException {
    Path name = file.toAbsolutePath();
    Path unfinished = name.resolveSibling("." + name.getFileName() + ".new");
    try {
      try (OutputStream out = Files.newOutputStream(unfinished)) {
        export.write(profile, out);
      }
      Files.move(unfinished, name, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }
}
