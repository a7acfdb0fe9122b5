package stackweave.unwind.sframe;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import stackweave.unwind.Architecture;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.MalformedSectionException.Reason;

/**
 * One SFrame header with its functions and rows, read in place. A section has several where a
 * linker has concatenated its inputs.
 *
 * <p>Source: SFrame specification sections 2.1 to 2.3; version 1 and 2 layouts of binutils 2.40 and
 * 2.44. Offsets are in bytes from the section's start.
 */
public final class SFrameElement {
  /** The number with which each header begins, in its byte order. */
  public static final int MAGIC = 0xdee2;

  /** Size of a header without its auxiliary part, in bytes. */
  public static final int HEADER_SIZE = 28;

  /** FDEs are sorted by start address. */
  public static final int FLAG_SORTED = 0x1;

  /** All functions keep the frame pointer (V1, V2). */
  public static final int FLAG_FRAME_POINTER = 0x2;

  /** Start addresses are relative to their own field (V2 errata 1, V3). */
  public static final int FLAG_START_PCREL = 0x4;

  private static final int[] KNOWN_FLAGS = {
    0,
    FLAG_SORTED | FLAG_FRAME_POINTER,
    FLAG_SORTED | FLAG_FRAME_POINTER | FLAG_START_PCREL,
    FLAG_SORTED | FLAG_START_PCREL
  };

  private static final int[] FDE_SIZE = {0, 17, 20, 16};

  /** The section's bytes in the element's byte order. Not to be written or moved. */
  public final ByteBuffer bytes;

  /** The section's buffer as it was given: the same object for all elements of a section. */
  final ByteBuffer section;

  /** Offset of the header. */
  public final int offset;

  /** Version of the format, 1 to 3. */
  public final int version;

  /** Those of the flags above that are set. */
  public final int flags;

  /** The ABI identifier as stored: 1 to 4. */
  public final int abi;

  /** The architecture that the identifier names. */
  public final Architecture architecture;

  /** Fixed offset of the saved frame pointer from the CFA, -128 to 127; 0 for none. */
  public final int fixedFp;

  /** Fixed offset of the return address from the CFA, -128 to 127; 0 for none. */
  public final int fixedRa;

  /** Number of functions (FDE). */
  public final int fdeCount;

  /** Size of a function's entry: 17, 20 or 16 in versions 1, 2 and 3. */
  public final int fdeSize;

  /** Offset of the first function's entry. */
  public final int fdeOffset;

  /** Offset of the rows' sub-section (FRE). */
  public final int freOffset;

  /** Offset of the first byte after the rows' sub-section. */
  public final int freEnd;

  /** Offset of the first byte after this element. */
  public final int end;

  private final long startBase;
  private final boolean startPcRelative;

  private SFrameElement(
      ByteBuffer section, ByteOrder order, int offset, long sectionAddress, int version)
      throws MalformedSectionException {
    this.bytes = section.duplicate().order(order);
    this.section = section;
    this.offset = offset;
    this.version = version;
    flags = u1(offset + 3);
    if ((flags & ~KNOWN_FLAGS[version]) != 0) {
      throw new MalformedSectionException(Reason.UNKNOWN_FLAGS, offset + 3);
    }
    abi = u1(offset + 4);
    architecture =
        switch (abi) {
          case 1, 2 -> Architecture.AARCH64;
          case 3 -> Architecture.X86_64;
          case 4 -> Architecture.S390X;
          default -> throw new MalformedSectionException(Reason.UNKNOWN_ABI, offset + 4);
        };
    fixedFp = bytes.get(offset + 5);
    fixedRa = bytes.get(offset + 6);
    long body = (long) offset + HEADER_SIZE + u1(offset + 7);
    long fdes = u4(offset + 8);
    fdeSize = FDE_SIZE[version];
    long table = body + u4(offset + 20);
    long tableEnd = table + fdes * fdeSize;
    long rows = body + u4(offset + 24);
    long rowsEnd = rows + u4(offset + 16);
    int size = bytes.limit();
    if (body > size || tableEnd > size || table > size) {
      throw new MalformedSectionException(Reason.BAD_LAYOUT, offset + 20);
    }
    if (rowsEnd > size || (table <= rows && tableEnd > rows) || (rows < table && rowsEnd > table)) {
      throw new MalformedSectionException(Reason.BAD_LAYOUT, offset + 24);
    }
    fdeCount = (int) fdes;
    fdeOffset = (int) table;
    freOffset = (int) rows;
    freEnd = (int) rowsEnd;
    end = (int) Math.max(body, Math.max(tableEnd, rowsEnd));
    startPcRelative = (flags & FLAG_START_PCREL) != 0;
    startBase = startPcRelative ? sectionAddress : sectionAddress + offset;
  }

  /** The element whose header is at an offset. */
  static SFrameElement read(ByteBuffer section, int offset, long sectionAddress)
      throws MalformedSectionException {
    if (section.limit() - offset < HEADER_SIZE) {
      throw new MalformedSectionException(Reason.TRUNCATED, offset);
    }
    int magic = (section.get(offset) & 0xff) << 8 | (section.get(offset + 1) & 0xff);
    ByteOrder order;
    if (magic == MAGIC) {
      order = ByteOrder.BIG_ENDIAN;
    } else if (magic == (Short.reverseBytes((short) MAGIC) & 0xffff)) {
      order = ByteOrder.LITTLE_ENDIAN;
    } else {
      throw new MalformedSectionException(Reason.BAD_MAGIC, offset);
    }
    int version = section.get(offset + 2) & 0xff;
    if (version < 1 || version > 3) {
      throw new MalformedSectionException(Reason.UNKNOWN_VERSION, offset + 2);
    }
    return new SFrameElement(section, order, offset, sectionAddress, version);
  }

  /** Offset of an FDE (V3: of its index entry). */
  public int fde(int number) {
    return fdeOffset + number * fdeSize;
  }

  /** The address of a function's first instruction. */
  public long start(int number) {
    int at = fde(number);
    long value = version == 3 ? bytes.getLong(at) : bytes.getInt(at);
    return startBase + value + (startPcRelative ? at : 0);
  }

  /** A function's size in bytes, below 2^32. */
  public long size(int number) {
    return u4(fde(number) + (version == 3 ? 8 : 4));
  }

  /**
   * Whether the functions can be searched where they are: in order, none of them empty. The flag
   * only says that a producer meant so: {@code ld -r} and plain concatenation break it.
   */
  boolean isInOrder() {
    long last = 0;
    for (int i = 0; i < fdeCount; i++) {
      long start = start(i);
      if (Long.compareUnsigned(last, start) > 0 || size(i) == 0) {
        return false;
      }
      last = start;
    }
    return fdeCount > 0;
  }

  /** The last function that starts at or below an address, or -1; of functions in order. */
  int floor(long address) {
    int low = 0;
    int high = fdeCount - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (Long.compareUnsigned(start(middle), address) <= 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  int u1(int at) {
    return bytes.get(at) & 0xff;
  }

  int u2(int at) {
    return bytes.getShort(at) & 0xffff;
  }

  /** Four bytes of the section from offset {@code at} on, unsigned. */
  public long u4(int at) {
    return bytes.getInt(at) & 0xffff_ffffL;
  }
}
