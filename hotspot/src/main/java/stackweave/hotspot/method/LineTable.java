package stackweave.hotspot.method;

import java.util.Arrays;

/**
 * A method's line numbers by bytecode index, ascending; of several lines at one index the last
 * counts, as the VM has it.
 *
 * @param bcis where a line begins
 * @param lines the lines, parallel to {@code bcis}
 */
record LineTable(int[] bcis, int[] lines) {
  static final LineTable NONE = new LineTable(new int[0], new int[0]);

  private static final int ESCAPE = 0xff;

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
    LineTable table = new LineTable(Arrays.copyOf(bcis, count), Arrays.copyOf(lines, count));
    return ascending ? table : table.sorted();
  }

  /** Compilers other than javac may write entries in any order. */
  private LineTable sorted() {
    Integer[] order = new Integer[bcis.length];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, (a, b) -> Integer.compare(bcis[a], bcis[b]));
    int[] sortedBcis = new int[order.length];
    int[] sortedLines = new int[order.length];
    for (int i = 0; i < order.length; i++) {
      sortedBcis[i] = bcis[order[i]];
      sortedLines[i] = lines[order[i]];
    }
    return new LineTable(sortedBcis, sortedLines);
  }
}
