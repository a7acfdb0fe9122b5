package stackweave.jfr.read.time;

import java.util.Arrays;

/**
 * How many samples one stack has in each cell, in the order in which they came. A sample in the
 * same cell as the one before it is joined with it. A cell that has only a part of a sample's
 * weight has the count 0. Made by {@link TimeCells}, which owns it. Not thread-safe.
 */
public final class CellSeries {
  private int[] cells = new int[1];
  private int[] counts = new int[1];
  private long[] weights = new long[1];
  private int size;

  CellSeries() {}

  /**
   * Adds to a cell; returns whether it is another one than that of the sample before.
   *
   * @param more number of samples; 0 for a part of the weight of one in another cell
   */
  boolean add(int cell, int more, long weightNanos) {
    boolean isOther = size == 0 || cells[size - 1] != cell;
    if (isOther) {
      if (size == cells.length) {
        cells = Arrays.copyOf(cells, 2 * size);
        counts = Arrays.copyOf(counts, 2 * size);
        weights = Arrays.copyOf(weights, 2 * size);
      }
      cells[size] = cell;
      counts[size] = 0;
      weights[size++] = 0;
    }
    counts[size - 1] += more;
    weights[size - 1] += weightNanos;
    return isOther && size > 1;
  }

  /** Joins cells; returns how many counts are left. */
  int grow(int factor) {
    int before = size;
    size = 0;
    for (int i = 0; i < before; i++) {
      add(Math.floorDiv(cells[i], factor), counts[i], weights[i]);
    }
    return Math.max(0, size - 1);
  }

  /** Gives all cells, less {@code first}, to a visitor. */
  void forEach(int first, TimeCells.Visitor visitor) {
    for (int i = 0; i < size; i++) {
      visitor.cell(cells[i] - first, counts[i], weights[i]);
    }
  }
}
