package stackweave.maps.modules;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * How many libraries glibc's loader has loaded so far, and how many are there: the numbers that
 * {@code dl_iterate_phdr} gives as {@code dlpi_adds} and, by their difference, {@code dlpi_subs}.
 * They tell that mappings have changed without a look at them. Read from the loader's {@code
 * _rtld_global} (glibc: sysdeps/generic/ldsodefs.h), since dl_iterate_phdr takes a lock that an
 * application's dlopen waits for. For the drain thread only.
 */
public final class LoaderCounts {
  private static final String GLOBAL = "_rtld_global";

  /** First word of the first namespace: {@code struct link_map *_ns_loaded}; then the count. */
  private static final int LOADED = 8;

  private static final int NEXT_OF_LINK_MAP = 24;

  /** Sizes of what is searched; its real size is 0x10f0 in glibc 2.36 on x86-64. */
  private static final int MAX_BYTES = 0x1000;

  private static final int MIN_BYTES = 0x400;
  private static final int PIECE = 0x100;

  private static final int WORD = 8;
  private static final int MAX_NAMESPACES = 16;

  /** {@code __kind} of pthread_mutex_t, and its value PTHREAD_MUTEX_RECURSIVE_NP. */
  private static final int MUTEX_KIND = 16;

  private static final int RECURSIVE = 1;
  private static final int MAX_MUTEXES = 4;
  private static final long MAX_COUNT = 1L << 40;
  private static final int MAX_LISTED = 1 << 16;

  private final MemoryReader memory;
  private final long loadedAddress;
  private final long addsAddress;
  private long adds;
  private int loaded;

  private LoaderCounts(MemoryReader memory, long loadedAddress, long addsAddress) {
    this.memory = memory;
    this.loadedAddress = loadedAddress;
    this.addsAddress = addsAddress;
  }

  /**
   * Finds the counters, where the loader's data has the order that it has in glibc 2.36, 2.41 and
   * 2.43: namespaces, how many there are, recursive locks, adds. The number of libraries must be
   * that of the loader's list.
   *
   * @param modules with the loader
   * @return null if it is another loader, or memory can't be read
   */
  public static LoaderCounts find(ModuleMap modules, MemoryReader memory) {
    long global = 0;
    for (MappedModule module : modules.modules()) {
      if (module.name().startsWith("ld-") || module.name().startsWith("ld64.")) {
        global = module.addressOf(GLOBAL);
        break;
      }
    }
    return global == 0 ? null : find(global, memory);
  }

  static LoaderCounts find(long global, MemoryReader memory) {
    ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES).order(ByteOrder.nativeOrder());
    int length = 0;
    try {
      while (length < MAX_BYTES) {
        memory.read(global + length, bytes.array(), length, PIECE);
        length += PIECE;
      }
    } catch (UnreadableMemoryException e) {
      if (length < MIN_BYTES) {
        return null;
      }
    }
    int adds = addsIn(bytes, length, 40); // sizeof(pthread_mutex_t) on x86-64
    if (adds < 0) {
      adds = addsIn(bytes, length, 48); // on AArch64
    }
    if (adds < 0) {
      return null;
    }
    LoaderCounts counts = new LoaderCounts(memory, global + LOADED, global + adds);
    return counts.read() && counts.isPlausible(global) ? counts : null;
  }

  /** Offset of the adds, or −1. */
  private static int addsIn(ByteBuffer bytes, int length, int mutexBytes) {
    for (int at = LOADED + WORD; at + WORD + 2 * mutexBytes <= length; at += WORD) {
      long namespaces = bytes.getLong(at);
      if (namespaces < 1 || namespaces > MAX_NAMESPACES) {
        continue;
      }
      int end = at + WORD;
      int mutexes = 0;
      while (mutexes < MAX_MUTEXES && isRecursive(bytes, end, length, mutexBytes)) {
        end += mutexBytes;
        mutexes++;
      }
      if (mutexes >= 2 && end + WORD <= length) {
        return end;
      }
    }
    return -1;
  }

  private static boolean isRecursive(ByteBuffer bytes, int at, int length, int mutexBytes) {
    return at + mutexBytes <= length && bytes.getInt(at + MUTEX_KIND) == RECURSIVE;
  }

  private boolean isPlausible(long global) {
    int listed = 0;
    try {
      long map = memory.readLong(global);
      while (map != 0 && listed < MAX_LISTED) {
        map = memory.readLong(map + NEXT_OF_LINK_MAP);
        listed++;
      }
    } catch (UnreadableMemoryException e) {
      return false;
    }
    return listed == loaded && loaded > 0 && adds >= loaded && adds < MAX_COUNT;
  }

  /**
   * Reads the counters; 2 µs.
   *
   * @return whether that worked; the numbers are those of before if not
   */
  public boolean read() {
    try {
      long newAdds = memory.readLong(addsAddress);
      loaded = (int) memory.readLong(loadedAddress);
      adds = newAdds;
      return true;
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }

  /** Libraries loaded since the process began, as of the last {@link #read}. */
  public long adds() {
    return adds;
  }

  /** Libraries that are loaded, in the first namespace, as of the last {@link #read}. */
  public int loaded() {
    return loaded;
  }
}
