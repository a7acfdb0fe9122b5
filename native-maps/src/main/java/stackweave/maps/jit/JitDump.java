package stackweave.maps.jit;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import stackweave.maps.jit.JitFormatException.Reason;

/**
 * Reads the names in a jitdump file, {@code jit-PID.dump}
 * (tools/perf/Documentation/jitdump-specification.txt of the kernel's sources, versions 1 and 2):
 * code that was loaded or moved. A last record that is not written to its end yet is left out.
 */
public final class JitDump {
  private static final int MAGIC = 0x4A695444;
  private static final int HEADER_SIZE = 8;
  private static final int MIN_HEADER_BYTES = 40;
  private static final int PREFIX_BYTES = 16;
  private static final int CODE_LOAD = 0;
  private static final int CODE_MOVE = 1;

  /** Of CODE_LOAD: pid, tid, vma, code address, code size, code index. */
  private static final int LOAD_BYTES = PREFIX_BYTES + 40;

  /** Of CODE_MOVE: pid, tid, vma, old address, new address, code size, code index. */
  private static final int MOVE_BYTES = PREFIX_BYTES + 48;

  private JitDump() {}

  /**
   * Adds the functions of a file.
   *
   * @throws JitFormatException if it is no such file, or has too many; those before are added
   */
  public static void read(byte[] file, JitSymbols to) throws JitFormatException {
    ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.nativeOrder());
    if (file.length < MIN_HEADER_BYTES) {
      throw new JitFormatException(Reason.TRUNCATED, 0);
    }
    if (bytes.getInt(0) != MAGIC) {
      throw new JitFormatException(Reason.BAD_MAGIC, 0);
    }
    if (bytes.getInt(4) < 1 || bytes.getInt(4) > 2) {
      throw new JitFormatException(Reason.UNKNOWN_VERSION, 4);
    }
    int header = bytes.getInt(HEADER_SIZE);
    if (header < MIN_HEADER_BYTES) {
      throw new JitFormatException(Reason.BAD_RECORD, HEADER_SIZE);
    }
    to.source("");
    int at = header;
    while (at >= 0 && at <= file.length - PREFIX_BYTES) {
      int size = bytes.getInt(at + 4);
      if (size < PREFIX_BYTES) {
        throw new JitFormatException(Reason.BAD_RECORD, at);
      }
      if (size > file.length - at) {
        return;
      }
      record(bytes, at, size, to);
      at += size;
    }
  }

  private static void record(ByteBuffer bytes, int at, int size, JitSymbols to)
      throws JitFormatException {
    int kind = bytes.getInt(at);
    if (kind == CODE_LOAD) {
      if (size < LOAD_BYTES) {
        throw new JitFormatException(Reason.BAD_RECORD, at);
      }
      int name = at + LOAD_BYTES;
      int end = name;
      while (end < at + size && bytes.get(end) != 0) {
        end++;
      }
      to.add(bytes.getLong(at + 32), bytes.getLong(at + 40), bytes.array(), name, end - name);
    } else if (kind == CODE_MOVE) {
      if (size < MOVE_BYTES) {
        throw new JitFormatException(Reason.BAD_RECORD, at);
      }
      to.move(bytes.getLong(at + 32), bytes.getLong(at + 40), bytes.getLong(at + 48));
    }
  }
}
