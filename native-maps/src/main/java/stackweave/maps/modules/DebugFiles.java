package stackweave.maps.modules;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.FileElfImage;
import stackweave.maps.elf.ImageBytes;
import stackweave.maps.elf.Strings;
import stackweave.maps.proc.ProcessFiles;
import stackweave.maps.proc.ProcessFiles.OpenFile;
import stackweave.unwind.TableMemory;

/**
 * Finds the separate debug file of a stripped one where gdb looks for it: by build id under
 * /usr/lib/debug/.build-id; by the name in .gnu_debuglink beside the file, in .debug beside it, and
 * under /usr/lib/debug. A file counts only if its build id is the same or, if it has none, its
 * CRC-32 matches the link. Not thread-safe.
 */
public final class DebugFiles {
  /**
   * Longer files are not summed up, in bytes: debug files so large have a build id, and a length is
   * easily faked.
   */
  private static final long MAX_SUMMED = 512L << 20;

  private final ProcessFiles files;
  private final Path root;
  private final TableMemory tables;

  /**
   * @param files opens them
   * @param root the debug directory, by default /usr/lib/debug
   * @param tables for what is read of the files found
   */
  public DebugFiles(ProcessFiles files, Path root, TableMemory tables) {
    this.files = files;
    this.root = root;
    this.tables = tables;
  }

  /** A debug file and its path. */
  record Found(FileElfImage image, Path path) {}

  /** The debug file of an image that was loaded from {@code path}, or null. */
  Found find(FileElfImage image, String path) {
    for (Path candidate : candidates(image, path)) {
      if (isThere(candidate)) {
        try {
          FileElfImage debug = FileElfImage.open(files, candidate, tables);
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

  private boolean isThere(Path candidate) {
    try (OpenFile file = files.open(candidate)) {
      return Files.isRegularFile(file.path());
    } catch (IOException e) {
      return false;
    }
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

  private boolean matches(FileElfImage image, FileElfImage debug, Path candidate)
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

  private long crc(Path path) throws IOException {
    CRC32 crc = new CRC32();
    try (OpenFile file = files.open(path);
        InputStream in = new FileInputStream(file.path().toFile())) {
      byte[] piece = new byte[ImageBytes.PIECE];
      long left = MAX_SUMMED;
      for (int length = in.read(piece); length > 0; length = in.read(piece)) {
        left -= length;
        if (left < 0) {
          throw new IOException(path + " is too long");
        }
        crc.update(piece, 0, length);
      }
    }
    return crc.getValue();
  }
}
