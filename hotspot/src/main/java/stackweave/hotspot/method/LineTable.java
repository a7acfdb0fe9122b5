package stackweave.hotspot.method;

import java.util.Arrays;
import stackweave.hotspot.model.FrameBuffer;

/**
 * A method's line numbers by bytecode index; of several lines at one index the last counts, as the
 * VM has it. Immutable. An array of 16-bit numbers, as they are in a class file: what is kept of
 * methods is a large part of the heap that sampling takes.
 */
final class LineTable {
  static final LineTable NONE = new LineTable(new char[0]);

  /** The bytecode indices where lines begin, ascending, and behind them as many lines. */
  private final char[] both;

  private static final int ESCAPE = 0xff;

  private LineTable(char[] both) {
    this.both = both;
  }

  /**
   * Decodes HotSpot's compressed form ({@code CompressedLineNumberReadStream}): steps of at most 31
   * bytecodes and 7 lines in one byte, others escaped, 0 at the end.
   */
  static LineTable decode(Unsigned5 stream) {
    long[] entries = new long[16];
    int count = 0;
    int bci = 0;
    int line = 0;
    for (int next = stream.nextByte(); next != 0; next = stream.nextByte()) {
      bci += next == ESCAPE ? stream.nextSigned() : next >> 3;
      line += next == ESCAPE ? stream.nextSigned() : next & 7;
      if (count == entries.length) {
        entries = Arrays.copyOf(entries, 2 * count);
      }
      entries[count] = (long) bci << 40 | (long) count << 16 | line & 0xffff;
      count++;
    }
    // Compilers other than javac may write entries in any order.
    Arrays.sort(entries, 0, count);
    int kept = 0;
    for (int i = 0; i < count; i++) {
      boolean last = i + 1 == count || entries[i] >> 40 != entries[i + 1] >> 40;
      entries[kept] = entries[i];
      kept += last ? 1 : 0;
    }
    char[] both = new char[2 * kept];
    for (int i = 0; i < kept; i++) {
      both[i] = (char) (entries[i] >> 40);
      both[kept + i] = (char) entries[i];
    }
    return new LineTable(both);
  }

  /** The line of a bytecode, or {@link FrameBuffer#UNKNOWN}. */
  int lineAt(int bci) {
    int count = both.length / 2;
    int i = Arrays.binarySearch(both, 0, count, (char) bci);
    if (i < 0) {
      i = -i - 2;
    }
    return bci < 0 || bci > Character.MAX_VALUE || i < 0 ? FrameBuffer.UNKNOWN : both[count + i];
  }

  /** How many bytes of the heap it takes, about. */
  int weight() {
    return 32 + Character.BYTES * both.length;
  }
}
