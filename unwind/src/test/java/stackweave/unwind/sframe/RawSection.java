package stackweave.unwind.sframe;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import stackweave.unwind.section.Section;

/**
 * An SFrame section made byte by byte, without the writer: of any version, loaded at 0, rows with
 * starts of one byte each.
 */
public final class RawSection {
  public static final int SIGNAL = 0x80;
  public static final int KEY_B = 0x20;
  public static final int MASK = 0x10;
  public static final int FLEX = 1;
  public static final int SP_BASE = 1;
  public static final int MANGLED = 0x80;

  private record Function(
      long start, int size, int info, int info2, int block, int count, byte[] rows) {}

  private final int version;
  private final int abi;
  private final ByteOrder order;
  private final List<Function> functions = new ArrayList<>();
  private int flags = 5;
  private int fixedFp;
  private int fixedRa;

  public RawSection(int version, int abi, ByteOrder order) {
    this.version = version;
    this.abi = abi;
    this.order = order;
  }

  /** Of x86-64, with RA at CFA - 8. */
  public static RawSection x86(int version) {
    return new RawSection(version, 3, ByteOrder.LITTLE_ENDIAN).fixed(0, -8);
  }

  public static RawSection aarch64(int version) {
    return new RawSection(version, 2, ByteOrder.LITTLE_ENDIAN);
  }

  public RawSection fixed(int fp, int ra) {
    fixedFp = fp;
    fixedRa = ra;
    return this;
  }

  public RawSection flags(int newFlags) {
    flags = newFlags;
    return this;
  }

  /** A row with words of one byte: info byte with the number of words put in. */
  public static byte[] row(int start, int info, int... words) {
    byte[] row = new byte[2 + words.length];
    row[0] = (byte) start;
    row[1] = (byte) (info | words.length << 1);
    for (int i = 0; i < words.length; i++) {
      row[2 + i] = (byte) words[i];
    }
    return row;
  }

  /** A row with words of two bytes. */
  public static byte[] wideRow(ByteOrder order, int start, int info, int... words) {
    ByteBuffer row = ByteBuffer.allocate(2 + 2 * words.length).order(order);
    row.put((byte) start).put((byte) (info | words.length << 1 | 1 << 5));
    for (int word : words) {
      row.putShort((short) word);
    }
    return row.array();
  }

  public RawSection function(long start, int size, int info, int info2, byte[]... rows) {
    return function(start, size, info, info2, 0, rows);
  }

  public RawSection function(long start, int size, int info, int info2, int block, byte[][] rows) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] row : rows) {
      all.writeBytes(row);
    }
    functions.add(new Function(start, size, info, info2, block, rows.length, all.toByteArray()));
    return this;
  }

  public byte[] bytes() {
    int fdeSize = version == 3 ? 16 : version == 2 ? 20 : 17;
    int attribute = version == 3 ? 5 : 0;
    int rowBytes = functions.stream().mapToInt(f -> f.rows.length + attribute).sum();
    ByteBuffer out = ByteBuffer.allocate(28 + functions.size() * fdeSize + rowBytes).order(order);
    out.putShort((short) 0xdee2).put((byte) version).put((byte) flags);
    out.put((byte) abi).put((byte) fixedFp).put((byte) fixedRa).put((byte) 0);
    out.putInt(functions.size()).putInt(functions.stream().mapToInt(Function::count).sum());
    out.putInt(rowBytes).putInt(0).putInt(functions.size() * fdeSize);
    int rows = 0;
    for (Function f : functions) {
      long offset = f.start - ((flags & 4) != 0 ? out.position() : 0);
      if (version == 3) {
        out.putLong(offset).putInt(f.size).putInt(rows);
      } else {
        out.putInt((int) offset).putInt(f.size).putInt(rows).putInt(f.count);
        out.put((byte) f.info);
        if (version == 2) {
          out.put((byte) f.block).putShort((short) 0);
        }
      }
      rows += f.rows.length + attribute;
    }
    for (Function f : functions) {
      if (version == 3) {
        out.putShort((short) f.count).put((byte) f.info).put((byte) f.info2).put((byte) f.block);
      }
      out.put(f.rows);
    }
    return out.array();
  }

  public Section section() {
    return new Section(ByteBuffer.wrap(bytes()), 0);
  }
}
