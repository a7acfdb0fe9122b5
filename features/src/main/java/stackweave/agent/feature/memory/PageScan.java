package stackweave.agent.feature.memory;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import stackweave.engine.probe.PageHash;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.maps.proc.PlainFiles;

/**
 * Reads properties of a process's pages from its pagemap in /proc, which needs no privilege:
 * whether a page has memory, and whether it is a file's (Documentation/admin-guide/mm/pagemap.rst);
 * whether it is part of a huge page, or of the zero page, which takes no memory (the ioctl
 * PAGEMAP_SCAN, Linux 6.7 and later; struct pm_scan_arg in include/uapi/linux/fs.h). For the drain
 * thread.
 */
final class PageScan implements AutoCloseable {
  /** Log2 of the number of small pages (4 KiB) in a huge one (2 MiB). */
  static final int HUGE_SHIFT = 9;

  /** Properties of a page. */
  enum Page {
    SMALL,
    HUGE,
    /** It takes no memory. */
    ZERO,
    /** Nothing is there (yet), at an address where most pages are huge when first touched. */
    ABSENT
  }

  /** What memory a page has. */
  enum Memory {
    /** Memory, or a place in swap, of this process alone. */
    PRIVATE,
    /** A page of a file, or of shared memory: some collectors have the heap in a file. */
    OF_FILE,
    ABSENT,
    UNKNOWN
  }

  private static final String SETTINGS = "/sys/kernel/mm/transparent_hugepage/";
  private static final String NEVER = "[never]";
  private static final String INHERIT = "[inherit]";
  private static final int O_CLOEXEC = 0x80000;
  private static final int PAGE_SHIFT = 12;

  /** _IOWR('f', 16, struct pm_scan_arg). */
  private static final long PAGEMAP_SCAN = 0xC0606610L;

  private static final long PRESENT = 1 << 3;
  private static final long ZERO = 1 << 5;
  private static final long HUGE = 1 << 6;

  private static final int ENTRY_BYTES = 8;
  private static final long ENTRY_PRESENT = 1L << 63;
  private static final long ENTRY_SWAPPED = 1L << 62;
  private static final long ENTRY_OF_FILE = 1L << 61;

  private static final int ARGUMENT_BYTES = 96;
  private static final int START = 16;
  private static final int END = 24;
  private static final int VECTOR = 40;
  private static final int VECTOR_LENGTH = 48;
  private static final int MASK = 72;
  private static final int RETURNED = 88;
  private static final int REGION_BYTES = 24;
  private static final int CATEGORIES = 16;

  /** Blocks of 2 MiB, by their number, that had small pages, and when. */
  private static final int KNOWN = 1 << 12;

  private static final long KNOWN_NANOS = 1_000_000_000L;

  private final int fd;
  private final NativeBuffer entry = NativeBuffer.allocate(ENTRY_BYTES);
  private final NativeBuffer argument = NativeBuffer.allocate(ARGUMENT_BYTES + REGION_BYTES);
  private final long[] known = new long[KNOWN];
  private final long[] knownAt = new long[KNOWN];
  private final boolean hasHuge;
  private final String others;
  private final boolean isSupported;

  /** Whether nothing was there at the last scan. */
  private boolean isAbsent;

  /**
   * @param process whose pages they are
   */
  PageScan(SampledProcess process) {
    fd = Libc.open(process.file("pagemap"), O_CLOEXEC, 0);
    ByteBuffer bytes = argument.bytes();
    bytes.putLong(0, ARGUMENT_BYTES);
    bytes.putLong(VECTOR, argument.address() + ARGUMENT_BYTES);
    bytes.putLong(VECTOR_LENGTH, 1);
    bytes.putLong(MASK, PRESENT);
    bytes.putLong(RETURNED, ZERO | HUGE);
    isSupported = scan(argument.address() >>> PAGE_SHIFT) >= 0;
    String all = setting("enabled");
    hasHuge = !all.isEmpty() && !all.contains(NEVER);
    String sizes = "";
    String[] names = new File(SETTINGS).list();
    if (names != null) {
      for (String name : names) {
        String own = name.startsWith("hugepages-") ? setting(name + "/enabled") : NEVER;
        boolean isOn =
            !own.isEmpty() && !own.contains(NEVER) && (hasHuge || !own.contains(INHERIT));
        if (isOn && !name.equals("hugepages-2048kB")) {
          sizes += (sizes.isEmpty() ? "" : ", ") + name.substring("hugepages-".length());
        }
      }
    }
    others = sizes;
  }

  /** Whether the memory of pages can be read at all. */
  boolean isMemoryKnown() {
    return fd >= 0;
  }

  /** Whether a page has memory or is swapped out; true if that is not known. Takes some 1 µs. */
  boolean isPresent(long page) {
    return memoryOf(page) != Memory.ABSENT;
  }

  /** The memory of a page. Takes some 1 µs. */
  Memory memoryOf(long page) {
    if (fd < 0 || Libc.pread(fd, entry.address(), ENTRY_BYTES, page * ENTRY_BYTES) != ENTRY_BYTES) {
      return Memory.UNKNOWN;
    }
    long flags = entry.bytes().getLong(0);
    if ((flags & (ENTRY_PRESENT | ENTRY_SWAPPED)) == 0) {
      return Memory.ABSENT;
    }
    return (flags & ENTRY_OF_FILE) == 0 ? Memory.PRIVATE : Memory.OF_FILE;
  }

  /** Whether memory gets huge pages without asking for them. */
  static boolean isAlwaysHuge() {
    return setting("enabled").contains("[always]");
  }

  private static String setting(String name) {
    try {
      return PlainFiles.text(SETTINGS + name, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }

  /** A note for users on pages that are miscounted; or empty. */
  String note() {
    if (!isSupported && hasHuge) {
      return "native memory: where huge pages are used it is more than is told, for this kernel"
          + " (before 6.7) does not say which pages are huge";
    }
    return others.isEmpty()
        ? ""
        : "native memory: where the kernel uses pages of " + others + " it is more than is told";
  }

  /**
   * Properties of a page that was touched a moment ago.
   *
   * @param isFollowed whether the zero page must be recognised
   */
  Page of(long page, boolean isFollowed) {
    if (!isSupported || !hasHuge && !isFollowed) {
      return Page.SMALL;
    }
    long block = page >>> HUGE_SHIFT;
    int slot = (int) PageHash.mix(block) & KNOWN - 1;
    long now = System.nanoTime();
    boolean isKnown = known[slot] == block && now - knownAt[slot] < KNOWN_NANOS;
    long place = page & (1 << HUGE_SHIFT) - 1;
    boolean isAtEnd = place == 0 || place == (1 << HUGE_SHIFT) - 1;
    if (isKnown && !isFollowed && !isAtEnd) {
      return Page.SMALL;
    }
    long categories = scan(page);
    if (categories > 0 && (categories & ZERO) != 0) {
      return Page.ZERO;
    }
    if (categories > 0 && (categories & HUGE) != 0) {
      return Page.HUGE;
    }
    if (isAbsent && isAtEnd && hasHuge) {
      return Page.ABSENT;
    }
    known[slot] = block;
    knownAt[slot] = now;
    return Page.SMALL;
  }

  /** The categories of a page; 0 if it is not there, −1 if that is not known. */
  private long scan(long page) {
    if (fd < 0) {
      return -1;
    }
    ByteBuffer bytes = argument.bytes();
    bytes.putLong(START, page << PAGE_SHIFT);
    bytes.putLong(END, page + 1 << PAGE_SHIFT);
    int found = Libc.ioctl(fd, PAGEMAP_SCAN, argument.address());
    isAbsent = found == 0;
    return found <= 0 ? found : bytes.getLong(ARGUMENT_BYTES + CATEGORIES);
  }

  @Override
  public void close() {
    if (fd >= 0) {
      Libc.close(fd);
    }
    entry.close();
    argument.close();
  }
}
