package stackweave.sframe.writer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import stackweave.unwind.sframe.SFrameElement;

/**
 * Builds the bytes of an SFrame section: rows first, then functions that have them, in any order;
 * {@link #write} sorts the functions. Knows the layout, but not what rows mean. Not thread-safe.
 *
 * <p>Source: SFrame specification sections 2.2 to 2.4; V2 layout of binutils 2.45.
 */
final class SFrameOutput {
  static final int PC_TYPE_MASK = 0x10;
  static final int KEY_B = 0x20;
  static final int SIGNAL = 0x80;
  static final int FDE_TYPE_FLEX = 1;

  /** Rows of one function: V3 counts them in 16 bits. */
  static final int MAX_ROWS_V3 = 0xffff;

  private static final int FLAGS = SFrameElement.FLAG_SORTED | SFrameElement.FLAG_START_PCREL;
  private static final int ATTRIBUTE_SIZE = 5;
  private static final int MAX_ROW_BYTES = 4 + 1 + 4 * 15;

  /** A function whose rows are written, by where they are. */
  private record Function(
      long start, int size, int rowsOffset, int rowCount, int info, int blockSize) {}

  private final int version;
  private final ByteOrder order;
  private final List<Function> functions = new ArrayList<>();
  private ByteBuffer rows;
  private int totalRows;

  /**
   * @param version 2 or 3
   */
  SFrameOutput(int version, ByteOrder order) {
    this.version = version;
    this.order = order;
    this.rows = ByteBuffer.allocate(1 << 16).order(order);
  }

  int rowCount() {
    return totalRows;
  }

  int functionCount() {
    return functions.size();
  }

  /** The smallest size of a row's start: 0, 1, 2 for 1, 2, 4 bytes. */
  static int rowType(long lastOffset) {
    if (lastOffset <= 0xff) {
      return 0;
    }
    return lastOffset <= 0xffff ? 1 : 2;
  }

  /**
   * Begins the rows of a function, with room for the attribute that stands before them in V3.
   *
   * @return what {@link #function} is to be given
   */
  int beginRows() {
    int offset = rows.position();
    if (version == 3) {
      room(ATTRIBUTE_SIZE);
      rows.position(offset + ATTRIBUTE_SIZE);
    }
    return offset;
  }

  /** A row: {@code info} says how many words there are, and their size. */
  void row(long start, int rowType, int info, int[] words) {
    room(MAX_ROW_BYTES);
    number((int) start, rowType);
    rows.put((byte) info);
    for (int i = 0; i < (info >>> 1 & 15); i++) {
      number(words[i], info >>> 5 & 3);
    }
    totalRows++;
  }

  private void number(int value, int sizeCode) {
    switch (sizeCode) {
      case 0 -> rows.put((byte) value);
      case 1 -> rows.putShort((short) value);
      default -> rows.putInt(value);
    }
  }

  private void room(int bytes) {
    if (rows.remaining() < bytes) {
      ByteBuffer larger = ByteBuffer.allocate(Math.multiplyExact(rows.capacity(), 2)).order(order);
      rows.flip();
      larger.put(rows);
      rows = larger;
    }
  }

  /** A function whose rows were written since {@link #beginRows}. */
  void function(
      long start, long size, int rowsOffset, int count, int info, int info2, int blockSize) {
    if (version == 3) {
      rows.putShort(rowsOffset, (short) count);
      rows.put(rowsOffset + 2, (byte) info);
      rows.put(rowsOffset + 3, (byte) info2);
      rows.put(rowsOffset + 4, (byte) blockSize);
    }
    functions.add(new Function(start, (int) size, rowsOffset, count, info, blockSize));
  }

  /**
   * The section.
   *
   * @param address where it will be loaded: start addresses are relative to their fields
   * @throws ArithmeticException if a version 2 section is more than 2 GiB away from a function
   */
  byte[] write(int abi, int fixedFp, int fixedRa, long address) {
    functions.sort((a, b) -> Long.compareUnsigned(a.start, b.start));
    int fdeSize = version == 3 ? 16 : 20;
    int tableSize = functions.size() * fdeSize;
    ByteBuffer out =
        ByteBuffer.allocate(SFrameElement.HEADER_SIZE + tableSize + rows.position()).order(order);
    out.putShort((short) SFrameElement.MAGIC).put((byte) version).put((byte) FLAGS);
    out.put((byte) abi).put((byte) fixedFp).put((byte) fixedRa).put((byte) 0);
    out.putInt(functions.size()).putInt(totalRows).putInt(rows.position());
    out.putInt(0).putInt(tableSize);
    for (Function function : functions) {
      long offset = function.start - (address + out.position());
      if (version == 3) {
        out.putLong(offset).putInt(function.size).putInt(function.rowsOffset);
      } else {
        out.putInt(Math.toIntExact(offset)).putInt(function.size).putInt(function.rowsOffset);
        out.putInt(function.rowCount).put((byte) function.info).put((byte) function.blockSize);
        out.putShort((short) 0);
      }
    }
    out.put(rows.array(), 0, rows.position());
    return out.array();
  }
}
