package stackweave.unwind.section;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import stackweave.unwind.Architecture;
import stackweave.unwind.Location;
import stackweave.unwind.section.MalformedSectionException.Reason;

/**
 * A cursor over the bytes of a section: every read is checked against a limit that the caller
 * narrows to the structure at hand. Offsets are those of the section. Not thread-safe.
 *
 * @hidden no part of the API
 */
public final class SectionReader {
  // DWARF pointer encodings (LSB Core, "DWARF Exception Header Encoding").
  /** DW_EH_PE_omit: no pointer is there. */
  public static final int ENCODING_OMIT = 0xff;

  /** DW_EH_PE_absptr: the address itself. */
  public static final int ENCODING_ABSOLUTE = 0x00;

  private static final int FORMAT_MASK = 0x0f;
  private static final int APPLICATION_MASK = 0x70;
  private static final int PC_RELATIVE = 0x10;
  private static final int DATA_RELATIVE = 0x30;
  private static final int INDIRECT = 0x80;

  private final ByteBuffer bytes;
  private final long address;
  private final int size;
  private int position;
  private int limit;

  /** A reader of all of a section, at its begin. */
  public SectionReader(Section section, ByteOrder order) {
    bytes = section.bytes().duplicate().order(order);
    address = section.address();
    size = bytes.limit();
    limit = size;
  }

  /** The byte order of an architecture's own structures. */
  public static ByteOrder byteOrder(Section section, Architecture architecture) {
    return switch (architecture) {
      case X86_64 -> ByteOrder.LITTLE_ENDIAN;
      case S390X -> ByteOrder.BIG_ENDIAN;
      case AARCH64 -> section.bytes().order();
    };
  }

  /** Size of the section in bytes. */
  public int size() {
    return size;
  }

  long address() {
    return address;
  }

  /** Offset of the next byte. */
  public int position() {
    return position;
  }

  /** Offset at which reads end. */
  public int limit() {
    return limit;
  }

  /** Whether the limit is not reached. */
  public boolean hasMore() {
    return position < limit;
  }

  /**
   * Goes to {@code from}; reads end at {@code to}. Throws where they don't lie in the section, in
   * this order.
   */
  public void range(long from, long to) throws MalformedSectionException {
    if (from < 0 || from > to || to > size) {
      throw new MalformedSectionException(Reason.TRUNCATED, Math.max(0, Math.min(from, size)));
    }
    position = (int) from;
    limit = (int) to;
  }

  /** Skips {@code count} bytes, at most up to the limit. */
  public void skip(long count) throws MalformedSectionException {
    if (count < 0 || count > limit - position) {
      throw truncated();
    }
    position += (int) count;
  }

  /** One byte, unsigned. */
  public int u1() throws MalformedSectionException {
    if (position >= limit) {
      throw truncated();
    }
    return bytes.get(position++) & 0xff;
  }

  /** Two bytes, unsigned, in the reader's byte order. */
  public int u2() throws MalformedSectionException {
    need(2);
    int value = bytes.getShort(position) & 0xffff;
    position += 2;
    return value;
  }

  /** Four bytes, signed, in the reader's byte order. */
  public int s4() throws MalformedSectionException {
    need(4);
    int value = bytes.getInt(position);
    position += 4;
    return value;
  }

  /** Four bytes, unsigned, in the reader's byte order. */
  public long u4() throws MalformedSectionException {
    return s4() & 0xffff_ffffL;
  }

  /** Eight bytes in the reader's byte order. */
  public long s8() throws MalformedSectionException {
    need(8);
    long value = bytes.getLong(position);
    position += 8;
    return value;
  }

  /** An unsigned number of at most 64 bits; longer ones are malformed. */
  public long uleb() throws MalformedSectionException {
    long value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      int b = u1();
      if (shift < 64) {
        value |= (long) (b & 0x7f) << shift;
      }
      if ((b & 0x80) == 0) {
        return value;
      }
    }
    throw truncated();
  }

  /** A signed LEB128 number of at most 64 bits; longer ones are malformed. */
  public long sleb() throws MalformedSectionException {
    long value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      int b = u1();
      if (shift < 64) {
        value |= (long) (b & 0x7f) << shift;
      }
      if ((b & 0x80) == 0) {
        int bits = shift + 7;
        return bits < 64 && (b & 0x40) != 0 ? value | -1L << bits : value;
      }
    }
    throw truncated();
  }

  /** A register number; those that fit no architecture become {@link Location#MAX_REGISTERS}. */
  public int register() throws MalformedSectionException {
    long register = uleb();
    return register >= 0 && register < Location.MAX_REGISTERS
        ? (int) register
        : Location.MAX_REGISTERS;
  }

  /**
   * A pointer in one of the DWARF encodings.
   *
   * @param dataBase what data-relative pointers are relative to
   */
  public long pointer(int encoding, long dataBase) throws MalformedSectionException {
    int at = position;
    long value = plainPointer(encoding);
    if (value == 0) {
      return 0;
    }
    if ((encoding & INDIRECT) != 0) {
      throw new MalformedSectionException(Reason.BAD_ENCODING, at);
    }
    return switch (encoding & APPLICATION_MASK) {
      case ENCODING_ABSOLUTE -> value;
      case PC_RELATIVE -> address + at + value;
      case DATA_RELATIVE -> dataBase + value;
      default -> throw new MalformedSectionException(Reason.BAD_ENCODING, at);
    };
  }

  /** The stored number of a pointer, without what it is relative to. */
  public long plainPointer(int encoding) throws MalformedSectionException {
    return switch (encoding & FORMAT_MASK) {
      case 0x00, 0x04, 0x0c -> s8();
      case 0x01 -> uleb();
      case 0x02 -> u2();
      case 0x03 -> u4();
      case 0x09 -> sleb();
      case 0x0a -> (short) u2();
      case 0x0b -> s4();
      default -> throw new MalformedSectionException(Reason.BAD_ENCODING, position);
    };
  }

  private void need(int count) throws MalformedSectionException {
    if (count > limit - position) {
      throw truncated();
    }
  }

  private MalformedSectionException truncated() {
    return new MalformedSectionException(Reason.TRUNCATED, position);
  }
}
