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

  /** Where lines begin, ascending, and behind them as many lines. */
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
    int[] bcis = new int[16];
    int[] lines = new int[16];
    int count = 0;
    int bci = 0;
    int line = 0;
    boolean ascending = true;
    for (int next = stream.nextByte(); next != 0; next = stream.nextByte()) {
      int bciStep = next == ESCAPE ? stream.nextSigned() : next >> 3;
      line += next == ESCAPE ? stream.nextSigned() : next & 7;
      bci += bciStep;
      ascending &= bciStep >= 0;
      if (count > 0 && bcis[count - 1] == bci) {
        count--;
      }
      if (count == bcis.length) {
        bcis = Arrays.copyOf(bcis, 2 * count);
        lines = Arrays.copyOf(lines, 2 * count);
      }
      bcis[count] = bci;
      lines[count++] = line;
    }
    return ascending ? of(bcis, lines, count) : sorted(bcis, lines, count);
  }

  private static LineTable of(int[] bcis, int[] lines, int count) {
    char[] both = new char[2 * count];
    for (int i = 0; i < count; i++) {
      both[i] = (char) bcis[i];
      both[count + i] = (char) lines[i];
    }
    return new LineTable(both);
  }

  /** Compilers other than javac may write entries in any order. */
  private static LineTable sorted(int[] bcis, int[] lines, int count) {
    Integer[] order = new Integer[count];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, (a, b) -> Integer.compare(bcis[a], bcis[b]));
    int[] sortedBcis = new int[count];
    int[] sortedLines = new int[count];
    for (int i = 0; i < count; i++) {
      sortedBcis[i] = bcis[order[i]];
      sortedLines[i] = lines[order[i]];
    }
    return of(sortedBcis, sortedLines, count);
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
