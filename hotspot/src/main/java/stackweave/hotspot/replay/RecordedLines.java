package stackweave.hotspot.replay;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Pieces of a process's memory, by lines of {@link #LINE} bytes. Little-endian; what was not
 * recorded is unreadable. Immutable and thread-safe.
 */
public final class RecordedLines implements MemoryReader {
  /** Bytes in a line: divides a page, so that a line is readable as a whole or not at all. */
  public static final int LINE = 64;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  static final RecordedLines NONE = new RecordedLines(new long[0], new byte[0]);

  private final long[] lines;
  private final byte[] bytes;

  /**
   * @param lines addresses, ascending, each a multiple of {@link #LINE}
   * @param bytes of all lines, one behind the other
   */
  RecordedLines(long[] lines, byte[] bytes) {
    this.lines = lines;
    this.bytes = bytes;
  }

  /** The lines by their addresses, as the constructor has them. */
  public static RecordedLines of(Map<Long, byte[]> lines) {
    TreeMap<Long, byte[]> sorted = new TreeMap<>(lines);
    long[] addresses = new long[sorted.size()];
    byte[] bytes = new byte[sorted.size() * LINE];
    int i = 0;
    for (Map.Entry<Long, byte[]> line : sorted.entrySet()) {
      addresses[i] = line.getKey();
      System.arraycopy(line.getValue(), 0, bytes, i * LINE, LINE);
      i++;
    }
    return new RecordedLines(addresses, bytes);
  }

  /** How many lines there are. */
  public int lineCount() {
    return lines.length;
  }

  /** The address of a line, counted from 0. */
  public long lineAddress(int line) {
    return lines[line];
  }

  /** The bytes of a line. */
  public byte[] lineBytes(int line) {
    return Arrays.copyOfRange(bytes, line * LINE, (line + 1) * LINE);
  }

  /** This memory, with the lines of {@code base} that it lacks. */
  RecordedLines over(RecordedLines base) {
    long[] addresses = new long[lines.length + base.lines.length];
    byte[] content = new byte[bytes.length + base.bytes.length];
    int count = 0;
    int own = 0;
    int other = 0;
    while (own < lines.length || other < base.lines.length) {
      boolean isOwn =
          other == base.lines.length || own < lines.length && lines[own] <= base.lines[other];
      RecordedLines from = isOwn ? this : base;
      int line = isOwn ? own++ : other++;
      if (isOwn && other < base.lines.length && base.lines[other] == lines[line]) {
        other++;
      }
      addresses[count] = from.lines[line];
      System.arraycopy(from.bytes, line * LINE, content, count++ * LINE, LINE);
    }
    return new RecordedLines(Arrays.copyOf(addresses, count), Arrays.copyOf(content, count * LINE));
  }

  @Override
  public long readLong(long address) throws UnreadableMemoryException {
    if ((address & LINE - 1) <= LINE - Long.BYTES) {
      return (long) LONG.get(bytes, indexOf(address));
    }
    long value = 0;
    for (int i = Long.BYTES - 1; i >= 0; i--) {
      value = value << Byte.SIZE | bytes[indexOf(address + i)] & 0xff;
    }
    return value;
  }

  @Override
  public void read(long address, byte[] target, int offset, int length)
      throws UnreadableMemoryException {
    for (int done = 0; done < length; ) {
      int index = indexOf(address + done);
      int count = Math.min(length - done, LINE - index % LINE);
      System.arraycopy(bytes, index, target, offset + done, count);
      done += count;
    }
  }

  private int indexOf(long address) throws UnreadableMemoryException {
    int line = Arrays.binarySearch(lines, address & -LINE);
    if (line < 0) {
      throw UnreadableMemoryException.UNREADABLE;
    }
    return line * LINE + (int) (address & (LINE - 1));
  }
}
