package stackweave.jfr.read.time;

import java.util.Arrays;

/**
 * How many samples one stack has in each cell, as bytes: for each cell the zigzag distance from the
 * one before, times four, plus 1 if its count follows, because it isn't 1, plus 2 if its weight
 * follows, because it isn't the count times that of the series' first sample. A cell that has but a
 * part of a sample's weight has the count 0. The last cell is kept as numbers until another one
 * comes. Made by {@link TimeCells}, which owns it. Not thread-safe.
 */
public final class CellSeries {
  private static final byte[] NONE = {};
  private static final int MAX_NUMBER = 10;
  private static final int HAS_COUNT = 1;
  private static final int HAS_WEIGHT = 2;

  interface Visitor {
    void cell(long cell, long count, long weightNanos);
  }

  private byte[] bytes = NONE;
  private int size;
  private long unit;
  private long before;
  private long cell;

  /** Whether there is a last cell. */
  private boolean isOpen;

  private long count;
  private long weight;

  CellSeries() {}

  /**
   * Returns whether it is a cell other than that of the sample before.
   *
   * @param more number of samples; 0 for a part of the weight of one in another cell
   */
  boolean add(long in, long more, long weightNanos) {
    if (isOpen && in == cell) {
      count += more;
      weight += weightNanos;
      return false;
    }
    if (isOpen) {
      flush();
    } else {
      unit = more <= 1 ? weightNanos : weightNanos / more;
      isOpen = true;
    }
    cell = in;
    count = more;
    weight = weightNanos;
    return true;
  }

  private void flush() {
    long step = cell - before;
    boolean hasCount = count != 1;
    boolean hasWeight = weight != count * unit;
    long zigzag = step << 1 ^ step >> 63;
    number(zigzag << 2 | (hasCount ? HAS_COUNT : 0) | (hasWeight ? HAS_WEIGHT : 0));
    if (hasCount) {
      number(count);
    }
    if (hasWeight) {
      number(weight);
    }
    before = cell;
  }

  private void number(long value) {
    if (size + MAX_NUMBER > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(size + MAX_NUMBER, 2 * bytes.length));
    }
    long left = value;
    while ((left & ~127L) != 0) {
      bytes[size++] = (byte) (left & 127 | 128);
      left >>>= 7;
    }
    bytes[size++] = (byte) left;
  }

  /** Joins cells; returns how many counts are left. */
  int grow(int factor) {
    CellSeries joined = new CellSeries();
    int[] counts = new int[1];
    forEach(
        (at, samples, nanos) ->
            counts[0] += joined.add(Math.floorDiv(at, factor), samples, nanos) ? 1 : 0);
    bytes = Arrays.copyOf(joined.bytes, joined.size);
    size = joined.size;
    unit = joined.unit;
    before = joined.before;
    cell = joined.cell;
    isOpen = joined.isOpen;
    count = joined.count;
    weight = joined.weight;
    return counts[0];
  }

  void forEach(Visitor visitor) {
    int[] at = new int[1];
    long from = 0;
    while (at[0] < size) {
      long head = read(at);
      long zigzag = head >>> 2;
      from += zigzag >>> 1 ^ -(zigzag & 1);
      long samples = (head & HAS_COUNT) != 0 ? read(at) : 1;
      visitor.cell(from, samples, (head & HAS_WEIGHT) != 0 ? read(at) : samples * unit);
    }
    if (isOpen) {
      visitor.cell(cell, count, weight);
    }
  }

  private long read(int[] at) {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte b = bytes[at[0]++];
      value |= (long) (b & 127) << shift;
      if (b >= 0) {
        return value;
      }
    }
  }
}
