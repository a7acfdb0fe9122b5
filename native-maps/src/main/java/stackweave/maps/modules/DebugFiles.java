package stackweave.maps.modules;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.CheckedOutputStream;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.FileElfImage;
import stackweave.maps.elf.Strings;
import stackweave.unwind.TableMemory;

/**
 * Finds the separate debug file of a stripped one where gdb looks for it: by build id under
 * /usr/lib/debug/.build-id; by the name in .gnu_debuglink beside the file, in .debug beside it, and
 * under /usr/lib/debug. A file counts only if its build id is the same or, if it has none, its
 * CRC-32 matches the link. Not thread-safe.
 */
public final class DebugFiles {
  private final Path root;
  private final TableMemory tables;

  /**
   * @param root the debug directory, by default /usr/lib/debug
   * @param tables for what is read of the files found
   */
  public DebugFiles(Path root, TableMemory tables) {
    this.root = root;
    this.tables = tables;
  }

  /** A debug file and its path. */
  record Found(FileElfImage image, Path path) {}

  /** The debug file of an image that was loaded from {@code path}, or null. */
  Found find(FileElfImage image, String path) {
    for (Path candidate : candidates(image, path)) {
      if (Files.isRegularFile(candidate)) {
        try {
          FileElfImage debug = FileElfImage.open(candidate, tables);
          if (debug.hasSymtab() && matches(image, debug, candidate)) {
            return new Found(debug, candidate);
          }
        } catch (ElfFormatException | IOException e) {
          image.problem(
              "debug file " + candidate,
              e instanceof ElfFormatException format
                  ? format
                  : new ElfFormatException(ElfFormatException.Reason.UNREADABLE, 0));
        }
      }
    }
    return null;
  }

  private List<Path> candidates(FileElfImage image, String path) {
    List<Path> candidates = new ArrayList<>();
    String id = image.buildId();
    if (id != null && id.length() > 2) {
      candidates.add(
          root.resolve(".build-id")
              .resolve(id.substring(0, 2))
              .resolve(id.substring(2) + ".debug"));
    }
    ByteBuffer link = image.debugLink();
    if (link != null) {
      try {
        Path name = Path.of(Strings.at(link, 0)).getFileName();
        Path directory = Path.of(path).getParent();
        if (name != null && directory != null) {
          candidates.add(directory.resolve(name));
          candidates.add(directory.resolve(".debug").resolve(name));
          candidates.add(root.resolve(Path.of("/").relativize(directory)).resolve(name));
        }
      } catch (IllegalArgumentException e) {
        // A relative or impossible path names no file.
        return candidates;
      }
    }
    return candidates;
  }

  private static boolean matches(FileElfImage image, FileElfImage debug, Path candidate)
      throws IOException {
    if (image.buildId() != null && debug.buildId() != null) {
      return image.buildId().equals(debug.buildId());
    }
    ByteBuffer link = image.debugLink();
    if (link == null) {
      return false;
    }
    int crcAt = (Strings.at(link, 0).length() + 4) & ~3;
    return crcAt + 4 <= link.limit()
        && link.order(image.order()).getInt(crcAt) == (int) crc(candidate);
  }

  private static long crc(Path file) throws IOException {
    CRC32 crc = new CRC32();
    try (InputStream in = new FileInputStream(file.toFile())) {
      in.transferTo(new CheckedOutputStream(OutputStream.nullOutputStream(), crc));
    }
    return crc.getValue();
  }
}
