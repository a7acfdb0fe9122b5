package stackweave.maps.modules;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import stackweave.maps.elf.ElfHeaders;
import stackweave.maps.elf.ElfHeaders.Segment;
import stackweave.maps.elf.ElfImage;
import stackweave.maps.proc.Mapping;

/**
 * Finds code of libraries that was moved off their files, as tools do to have it on huge pages: it
 * is executable memory, anonymous or of a deleted file, at the place of a library's code, while the
 * rest of the library is still mapped around it. Used by {@link ModuleIndex}; not thread-safe.
 */
final class MovedCode {
  private static final int PAGE = 4096;

  /**
   * Pieces of memory that are looked at in one call, for each of which all mappings are searched
   * and two files opened. A process can have 65,530; further ones are looked at in later calls.
   */
  private static final int MAX_LOOKS = 256;

  private final ImageOpener opener;

  /** Where executable memory begins that is known to be no library's. */
  private Set<Long> others = Set.of();

  MovedCode(ImageOpener opener) {
    this.opener = opener;
  }

  /** Whether there is executable memory that was not looked at yet, or is a library's. */
  boolean isIn(List<Mapping> executable) {
    return executable.stream().anyMatch(m -> mayBe(m) && !others.contains(m.start()));
  }

  /**
   * The mappings with moved code as if it were still mapped from its file.
   *
   * @param all all present mappings
   */
  List<Mapping> asOfFiles(List<Mapping> executable, List<Mapping> all) {
    List<Mapping> result = new ArrayList<>();
    Set<Long> looked = new HashSet<>();
    int looks = 0;
    for (Mapping m : executable) {
      boolean mayBe = mayBe(m);
      boolean isNew = mayBe && !others.contains(m.start());
      Mapping file = isNew && looks < MAX_LOOKS ? ofFile(m, all) : null;
      result.add(file == null ? m : file);
      if (file == null && mayBe && (!isNew || looks < MAX_LOOKS)) {
        looked.add(m.start());
      }
      looks += isNew ? 1 : 0;
    }
    others = looked;
    return result;
  }

  /** Memory without a name, or with one that the process has given; not the vdso. */
  private static boolean mayBe(Mapping m) {
    boolean anonymous = m.path().isEmpty() || m.path().startsWith("[anon");
    return m.executable() && (m.isFile() ? m.deleted() : anonymous);
  }

  /**
   * A mapping as the file's own would be; null if this is no library's code.
   *
   * @param all all present mappings
   */
  private Mapping ofFile(Mapping moved, List<Mapping> all) {
    Mapping below = null;
    Mapping above = null;
    for (Mapping m : all) {
      boolean other = m.isFile() && !(moved.isFile() && m.isSameFile(moved));
      if (other && Long.compareUnsigned(m.start(), moved.start()) < 0) {
        below = m;
      } else if (other && above == null) {
        above = m;
      }
    }
    Mapping file = below == null ? null : ofFile(moved, below, all);
    return file != null || above == null ? file : ofFile(moved, above, all);
  }

  /** The same if it is code of the file of a neighbour. */
  private Mapping ofFile(Mapping moved, Mapping neighbour, List<Mapping> all) {
    ElfImage elf = opener.open(neighbour, all).elf();
    if (elf == null) {
      return null;
    }
    for (Segment of : elf.headers.segments()) {
      // Of a small library several segments have the same page of the file.
      if (of.type() == ElfHeaders.PT_LOAD
          && neighbour.offset() >= (of.offset() & -PAGE)
          && neighbour.offset() < of.offset() + of.fileSize()) {
        long bias = neighbour.start() - (of.vaddr() + neighbour.offset() - of.offset());
        for (Segment code : elf.headers.segments()) {
          long start = bias + (code.vaddr() & -PAGE);
          long end = bias + (code.vaddr() + code.memorySize() + PAGE - 1 & -PAGE);
          if (code.type() == ElfHeaders.PT_LOAD
              && code.executable()
              && Long.compareUnsigned(moved.start(), start) >= 0
              && Long.compareUnsigned(moved.end(), end) <= 0) {
            return at(moved, moved.start() - start + (code.offset() & -PAGE), neighbour);
          }
        }
      }
    }
    return null;
  }

  private static Mapping at(Mapping moved, long offset, Mapping file) {
    return new Mapping(
        moved.start(),
        moved.end(),
        moved.readable(),
        moved.writable(),
        true,
        false,
        offset,
        file.major(),
        file.minor(),
        file.inode(),
        file.path(),
        file.deleted());
  }
}
