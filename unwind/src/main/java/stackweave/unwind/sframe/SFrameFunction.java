package stackweave.unwind.sframe;

import java.nio.ByteBuffer;
import stackweave.unwind.Architecture;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.MalformedSectionException.Reason;

/**
 * One function of an SFrame section: a cursor over its rows. Mutable and reused; filled by {@link
 * SFrameSection}; not thread-safe.
 *
 * <p>Source: SFrame specification sections 2.3 and 2.4.
 */
public final class SFrameFunction {
  private static final int PC_TYPE_MASK = 0x10;
  private static final int KEY_B = 0x20;
  private static final int SIGNAL = 0x80;
  private static final int FDE_TYPE_BITS = 0x1f;
  private static final int FLEX = 1;
  private static final int ATTRIBUTE_SIZE = 5;

  /** Version 1 stores no block size: the PLT entries it was made for have 16 bytes. */
  private static final int V1_BLOCK_SIZE = 16;

  private SFrameElement element;
  private int number;
  private long start;
  private long size;
  private long rowCount;
  private int info;
  private int fdeType;
  private int blockSize;
  private int rowsOffset;
  private int addressSize;

  private long rowsLeft;
  private int nextRow;
  private long lastRowStart;

  /** Makes this the function {@code number} of an element, before its first row. */
  public void open(SFrameElement element, int number) throws MalformedSectionException {
    this.element = element;
    this.number = number;
    int fde = element.fde(number);
    start = element.start(number);
    size = element.size(number);
    long rows = element.freOffset + element.u4(fde + (element.version == 3 ? 12 : 8));
    if (element.version == 3) {
      if (rows + ATTRIBUTE_SIZE > element.freEnd) {
        throw new MalformedSectionException(Reason.TRUNCATED, fde + 12);
      }
      int attribute = (int) rows;
      rowCount = element.u2(attribute);
      info = element.u1(attribute + 2);
      fdeType = element.u1(attribute + 3) & FDE_TYPE_BITS;
      blockSize = element.u1(attribute + 4);
      rows += ATTRIBUTE_SIZE;
    } else {
      rowCount = element.u4(fde + 12);
      info = element.u1(fde + 16) & ~SIGNAL;
      fdeType = 0;
      blockSize = element.version == 2 ? element.u1(fde + 17) : V1_BLOCK_SIZE;
      if (rows > element.freEnd) {
        throw new MalformedSectionException(Reason.TRUNCATED, fde + 8);
      }
    }
    rowsOffset = (int) rows;
    int rowType = info & 0x0f;
    if (rowType > 2 || fdeType > FLEX) {
      throw new MalformedSectionException(Reason.UNKNOWN_TYPE, fde);
    }
    addressSize = 1 << rowType;
    if (isMask() && blockSize == 0) {
      throw new MalformedSectionException(Reason.BAD_ROW, fde);
    }
    // A row has at least its start and its info byte: no count can make a walk longer than that.
    if (rowCount * (addressSize + 1) > element.freEnd - rowsOffset) {
      throw new MalformedSectionException(Reason.TRUNCATED, fde);
    }
    rewind();
  }

  /** Goes back before the first row. */
  public void rewind() {
    rowsLeft = rowCount;
    nextRow = rowsOffset;
    lastRowStart = 0;
  }

  /**
   * Reads the next row.
   *
   * @return false when there is none
   * @throws MalformedSectionException if the row makes no sense; the next call reads the row behind
   *     it, or returns false where that can't be found
   */
  public boolean next(SFrameRow row) throws MalformedSectionException {
    int at = nextRow;
    if (!advance()) {
      return false;
    }
    row.decode(this, lastRowStart, at + addressSize);
    return true;
  }

  /** Goes behind the next row; false if there is none. */
  private boolean advance() throws MalformedSectionException {
    if (rowsLeft == 0) {
      return false;
    }
    int at = nextRow;
    long left = rowsLeft;
    rowsLeft = 0;
    nextRow = rowEnd(at);
    rowsLeft = left - 1;
    long rowStart = rowStart(at);
    if (rowStart < lastRowStart) {
      throw new MalformedSectionException(Reason.BAD_ROW, at);
    }
    lastRowStart = rowStart;
    return true;
  }

  /**
   * Reads the last row that starts at or below {@code offset} bytes from the function's start, or
   * in its block where the function is made of blocks.
   *
   * @return false when the first row starts above it or there is none
   */
  boolean find(long offset, SFrameRow row) throws MalformedSectionException {
    long place = isMask() ? offset % blockSize : offset;
    rewind();
    int found = -1;
    long foundStart = 0;
    for (int at = nextRow; advance() && lastRowStart <= place; at = nextRow) {
      found = at;
      foundStart = lastRowStart;
    }
    if (found < 0) {
      return false;
    }
    row.decode(this, foundStart, found + addressSize);
    return true;
  }

  private long rowStart(int at) {
    return switch (addressSize) {
      case 1 -> element.u1(at);
      case 2 -> element.u2(at);
      default -> element.u4(at);
    };
  }

  /** Where the row at an offset ends; all of it lies in the sub-section. */
  private int rowEnd(int at) throws MalformedSectionException {
    int infoAt = at + addressSize;
    if (infoAt >= element.freEnd) {
      throw new MalformedSectionException(Reason.TRUNCATED, at);
    }
    int rowInfo = element.u1(infoAt);
    int wordSizeCode = rowInfo >>> 5 & 3;
    if (wordSizeCode == 3) {
      throw new MalformedSectionException(Reason.BAD_ROW, infoAt);
    }
    int end = infoAt + 1 + ((rowInfo >>> 1 & 15) << wordSizeCode);
    if (end > element.freEnd) {
      throw new MalformedSectionException(Reason.TRUNCATED, at);
    }
    return end;
  }

  ByteBuffer bytes() {
    return element.bytes;
  }

  SFrameElement element() {
    return element;
  }

  /** Offset of its FDE in the section. */
  public int offset() {
    return element.fde(number);
  }

  /** Number in its element, from 0, in stored order. */
  public int number() {
    return number;
  }

  /** The architecture that the section's header names. */
  public Architecture architecture() {
    return element.architecture;
  }

  /** Format version, 1 to 3. */
  public int version() {
    return element.version;
  }

  /** ELF virtual address of the first instruction. */
  public long start() {
    return start;
  }

  /** Size in bytes, below 2^32. */
  public long size() {
    return size;
  }

  /** How many rows there are. */
  public long rowCount() {
    return rowCount;
  }

  /** Whether rows hold for each block of {@link #blockSize} bytes (PCTYPE_MASK). */
  public boolean isMask() {
    return (info & PC_TYPE_MASK) != 0;
  }

  /** Size of the repeating block in bytes; meaningful with {@link #isMask}. */
  public int blockSize() {
    return blockSize;
  }

  /** Whether this is a signal frame (V3). */
  public boolean isSignal() {
    return (info & SIGNAL) != 0;
  }

  /** Whether rows have the flexible form (V3). */
  public boolean isFlex() {
    return fdeType == FLEX;
  }

  /** Offset in the section where its rows begin; in version 3, with the attribute before them. */
  public int rowsBegin() {
    return rowsOffset - (element.version == 3 ? ATTRIBUTE_SIZE : 0);
  }

  /** Offset in the section of the row that {@link #next} reads next. */
  public int rowsRead() {
    return nextRow;
  }

  /**
   * Whether bits are set that sections 2.3.2 and 2.3.3 (and the layouts before version 3) leave
   * unused, or that mean nothing on this architecture.
   */
  public boolean hasReservedBits() {
    int fde = element.fde(number);
    int stored = element.version == 3 ? info : element.u1(fde + 16);
    boolean unused =
        switch (element.version) {
          case 3 ->
              (stored & 0x40) != 0 || (element.u1(rowsBegin() + 3) & ~FDE_TYPE_BITS & 0xff) != 0;
          case 2 -> (stored & 0xc0) != 0 || element.u2(fde + 18) != 0;
          default -> (stored & 0xc0) != 0;
        };
    return unused || ((stored & KEY_B) != 0 && element.architecture != Architecture.AARCH64);
  }

  /** Size of a row's start in bytes: 1, 2 or 4. */
  public int addressSize() {
    return addressSize;
  }

  /** Whether return addresses are signed with key B; the bit means nothing off AArch64. */
  public boolean isKeyB() {
    return (info & KEY_B) != 0 && element.architecture == Architecture.AARCH64;
  }
}
