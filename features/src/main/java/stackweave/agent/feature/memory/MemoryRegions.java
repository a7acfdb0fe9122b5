package stackweave.agent.feature.memory;

import java.io.IOException;
import java.util.List;
import stackweave.jfr.process.SampledProcess;
import stackweave.maps.proc.Mapping;
import stackweave.maps.proc.ProcMaps;

/**
 * Tells private anonymous memory from the Java heap, from files and from shared memory, by address.
 * Reads the process's maps again if an address is in no known region, but not too often. For the
 * drain thread.
 */
final class MemoryRegions {
  /** Reading takes a millisecond or two. */
  private static final long MIN_READ_NANOS = 100_000_000L;

  /** A region may be mapped differently after this time. */
  private static final long MAX_AGE_NANOS = 2_000_000_000L;

  /** Part of the name of memory files in which some collectors have the Java heap. */
  private static final String HEAP_FILE = "java_heap";

  private final SampledProcess process;
  private final long heapStart;
  private final long heapEnd;

  /** By address, ascending. */
  private List<Mapping> mappings = List.of();

  private boolean hasHeapFile;
  private boolean isRead;
  private long readAt;

  /**
   * @param process whose memory it is
   * @param heapStart the first address that the VM has reserved for the Java heap; 0 if not known
   * @param heapEnd the first one behind it
   */
  MemoryRegions(SampledProcess process, long heapStart, long heapEnd) {
    this.process = process;
    this.heapStart = heapStart;
    this.heapEnd = heapEnd;
    read();
  }

  /** Whether the bounds of the Java heap are known. */
  boolean isHeapKnown() {
    return heapEnd > heapStart || hasHeapFile;
  }

  /** What is mapped at an address. */
  enum Kind {
    /** Private anonymous memory that is not the Java heap. */
    NATIVE,
    OTHER,
    /** It was mapped after the regions were read. */
    UNKNOWN
  }

  /** What is mapped at an address, by the regions as last read. */
  Kind of(long address) {
    if (address >= heapStart && address < heapEnd) {
      return Kind.OTHER;
    }
    long age = System.nanoTime() - readAt;
    int region = age > MAX_AGE_NANOS ? -1 : find(address);
    if (region < 0 && age > MIN_READ_NANOS) {
      read();
      region = find(address);
    }
    if (region < 0) {
      return Kind.UNKNOWN;
    }
    Mapping mapping = mappings.get(region);
    return mapping.isFile() || mapping.shared() ? Kind.OTHER : Kind.NATIVE;
  }

  private int find(long address) {
    int low = 0;
    int high = mappings.size() - 1;
    while (low <= high) {
      int middle = low + high >>> 1;
      if (Long.compareUnsigned(address, mappings.get(middle).start()) < 0) {
        high = middle - 1;
      } else if (Long.compareUnsigned(address, mappings.get(middle).end()) >= 0) {
        low = middle + 1;
      } else {
        return middle;
      }
    }
    return -1;
  }

  private void read() {
    readAt = System.nanoTime();
    try {
      mappings = ProcMaps.read(process.directory());
      for (Mapping mapping : mappings) {
        hasHeapFile |= mapping.path().contains(HEAP_FILE);
      }
      isRead = true;
    } catch (IOException e) {
      isRead = false;
    }
  }

  /** Whether the process's maps could be read. */
  boolean isKnown() {
    return isRead;
  }
}
