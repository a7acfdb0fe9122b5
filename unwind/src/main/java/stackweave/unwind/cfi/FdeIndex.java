package stackweave.unwind.cfi;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import stackweave.unwind.Architecture;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.MalformedSectionException.Reason;
import stackweave.unwind.section.Section;
import stackweave.unwind.section.SectionReader;
import stackweave.unwind.section.SortedIndex;

/**
 * Finds the FDE that may cover an address: in the table of .eh_frame_hdr, searched in place, or in
 * an index that a pass over all FDEs has built.
 *
 * <p>Source: LSB Core "Exception Frame Header".
 */
final class FdeIndex {
  private static final int HDR_VERSION = 1;

  /** data-relative, 4 bytes signed: what every linker writes, and what can be searched in place. */
  private static final int SEARCHABLE = 0x3b;

  private static final int ENTRY_SIZE = 8;

  /** How many ints are checked at once, two for each entry. */
  private static final int CHECKED_AT_ONCE = 4096;

  // One of the two is null.
  private final SortedIndex built;
  private final ByteBuffer table;

  private final int tableOffset;
  private final long hdrAddress;
  private final long frameAddress;
  private final int size;

  private FdeIndex(SortedIndex built) {
    this.built = built;
    this.table = null;
    this.tableOffset = 0;
    this.hdrAddress = 0;
    this.frameAddress = 0;
    this.size = built.size();
  }

  private FdeIndex(ByteBuffer table, int tableOffset, long hdrAddress, long frame, int size) {
    this.built = null;
    this.table = table;
    this.tableOffset = tableOffset;
    this.hdrAddress = hdrAddress;
    this.frameAddress = frame;
    this.size = size;
  }

  /**
   * The table of an .eh_frame_hdr.
   *
   * @return null if it has no table that can be searched in place, or none that is in order
   */
  static FdeIndex ofHdr(Section hdr, Section ehFrame, Architecture architecture)
      throws MalformedSectionException {
    SectionReader reader = new SectionReader(hdr, SectionReader.byteOrder(hdr, architecture));
    if (reader.u1() != HDR_VERSION) {
      throw new MalformedSectionException(Reason.UNKNOWN_VERSION, 0);
    }
    int frameEncoding = reader.u1();
    int countEncoding = reader.u1();
    int tableEncoding = reader.u1();
    if (countEncoding == SectionReader.ENCODING_OMIT || tableEncoding != SEARCHABLE) {
      return null;
    }
    reader.pointer(frameEncoding, hdr.address());
    long count = reader.pointer(countEncoding, hdr.address());
    int offset = reader.position();
    if (count < 0 || count > (reader.size() - offset) / ENTRY_SIZE) {
      throw new MalformedSectionException(Reason.TRUNCATED, offset);
    }
    ByteBuffer bytes = hdr.bytes().duplicate().order(SectionReader.byteOrder(hdr, architecture));
    return isSorted(bytes, offset, (int) count)
        ? new FdeIndex(bytes, offset, hdr.address(), ehFrame.address(), (int) count)
        : null;
  }

  /** The address of .eh_frame, from an .eh_frame_hdr. */
  static long ehFrameAddress(Section hdr, Architecture architecture)
      throws MalformedSectionException {
    SectionReader reader = new SectionReader(hdr, SectionReader.byteOrder(hdr, architecture));
    if (reader.u1() != HDR_VERSION) {
      throw new MalformedSectionException(Reason.UNKNOWN_VERSION, 0);
    }
    int encoding = reader.u1();
    reader.skip(2);
    return reader.pointer(encoding, hdr.address());
  }

  /** Copies pieces into an array, which interpreted bytecode reads far faster than a buffer. */
  private static boolean isSorted(ByteBuffer bytes, int offset, int count) {
    IntBuffer table = bytes.slice(offset, count * ENTRY_SIZE).order(bytes.order()).asIntBuffer();
    int[] read = new int[CHECKED_AT_ONCE];
    int last = Integer.MIN_VALUE;
    for (int done = 0; done < table.limit(); done += read.length) {
      int end = Math.min(read.length, table.limit() - done);
      table.get(done, read, 0, end);
      for (int i = 0; i < end; i += 2) {
        if (read[i] < last) {
          return false;
        }
        last = read[i];
      }
    }
    return true;
  }

  /**
   * An index over all FDEs of a section; those that can't be read are left out.
   *
   * @return never null; empty where the section holds no FDE
   */
  static FdeIndex build(CallFrameInfo info) {
    SortedIndex index = new SortedIndex(1024);
    long offset = 0;
    try {
      long next = info.openEntry(offset);
      while (next >= 0) {
        if (!info.isCie()) {
          addFde(info, offset, index);
        }
        offset = next;
        next = info.openEntry(offset);
      }
    } catch (MalformedSectionException e) {
      // What follows an entry that leaves the section can't be found; entries before it stay.
    }
    index.sort();
    return new FdeIndex(index);
  }

  private static void addFde(CallFrameInfo info, long offset, SortedIndex index) {
    try {
      info.openFde(offset);
      // Linkers leave FDEs of discarded functions behind, with start 0.
      if (info.functionSize != 0 && info.functionStart != 0) {
        index.add(info.functionStart, (int) offset);
      }
    } catch (MalformedSectionException e) {
      // Only this function is malformed: lookups in it find nothing.
    }
  }

  int size() {
    return size;
  }

  /** The last entry that starts at or below the address, or -1. */
  int floor(long address) {
    if (built != null) {
      return built.floor(address);
    }
    long key = address - hdrAddress;
    int low = 0;
    int high = size - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (table.getInt(tableOffset + middle * ENTRY_SIZE) <= key) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  /** The address of the first instruction of entry {@code i}. */
  long start(int i) {
    return built != null ? built.start(i) : hdrAddress + table.getInt(tableOffset + i * ENTRY_SIZE);
  }

  /** The FDE's offset in its section; may lie outside of it where the table lies. */
  long fdeOffset(int i) {
    return built != null
        ? built.value(i)
        : hdrAddress + table.getInt(tableOffset + i * ENTRY_SIZE + 4) - frameAddress;
  }
}
