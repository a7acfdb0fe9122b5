package stackweave.jfr.read.time;

import java.util.ArrayList;
import java.util.List;

/**
 * Counts samples by cells of time while a recording is read. Cells are 20 ms wide; they become
 * wider when there would be more than {@link #MAX_CELLS} of them, for instance because the clock
 * was set, or when there are more counts than {@link #MAX_COUNTS} and two for each series. So
 * memory depends only on the number of series. Used by the reader of recordings, which has a series
 * for each distinct stack of a thread. Not thread-safe.
 */
public final class TimeCells {
  /** 24 hours have 86,400 cells of a second. */
  public static final int MAX_CELLS = 90_000;

  /** Counts in memory, of 16 bytes. */
  public static final int MAX_COUNTS = 2_000_000;

  private static final long MILLI = 1_000_000;

  /**
   * The widths of cells in ns; each is a multiple of the one before. With the last, 90,000 cells
   * cover all times that a long holds.
   */
  private static final long[] WIDTHS = {
    20 * MILLI,
    40 * MILLI,
    200 * MILLI,
    1_000 * MILLI,
    2_000 * MILLI,
    10_000 * MILLI,
    60_000 * MILLI,
    600_000 * MILLI,
    3_600_000 * MILLI,
    36_000_000 * MILLI,
    360_000_000 * MILLI
  };

  /** Times farther from 1970 are damaged; the difference of two nearer ones fits into a long. */
  private static final long FARTHEST = Long.MAX_VALUE / 2;

  /** Cells that get a part of a sample's weight: 80 s at the first width. */
  private static final int MAX_PARTS = 4_096;

  /** Receives the counts of a series. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * The samples of a cell. A cell may come twice, and later than one behind it.
     *
     * @param cell its number, from 0
     * @param count number of samples
     * @param weightNanos time that they stand for
     */
    void cell(int cell, long count, long weightNanos);
  }

  private final int maxCells;
  private final int maxCounts;
  private final List<CellSeries> allSeries = new ArrayList<>();
  private int widthIndex;
  private long origin;
  private boolean hasAny;
  private long first;
  private long last;
  private long counts;
  private long checkAt;

  /** With the usual limits. */
  public TimeCells() {
    this(MAX_CELLS, MAX_COUNTS);
  }

  /** With limits for tests. */
  TimeCells(int maxCells, int maxCounts) {
    this.maxCells = maxCells;
    this.maxCounts = maxCounts;
    this.checkAt = maxCounts;
  }

  /** A new series, without samples. */
  public CellSeries series() {
    CellSeries series = new CellSeries();
    allSeries.add(series);
    return series;
  }

  /**
   * Counts a sample.
   *
   * @param series one of these cells
   * @param nanos when it was taken, since 1970
   * @param weightNanos time that it stands for
   */
  public void add(CellSeries series, long nanos, long weightNanos) {
    add(series, nanos, 1, weightNanos);
  }

  /** Counts a sample whose weight covers the time before it: each cell gets its part. */
  public void addEnding(CellSeries series, long nanos, long weightNanos) {
    long parts = Math.max(1, Math.min(MAX_PARTS, weightNanos / width()));
    long part = weightNanos / parts;
    for (long i = parts - 1; i > 0; i--) {
      add(series, nanos - i * part, 0, part);
    }
    add(series, nanos, 1, weightNanos - (parts - 1) * part);
  }

  private void add(CellSeries series, long nanos, int samples, long weightNanos) {
    long time = Math.max(-FARTHEST, Math.min(nanos, FARTHEST));
    if (!hasAny) {
      hasAny = true;
      origin = time;
    }
    long cell = Math.floorDiv(time - origin, width());
    first = Math.min(first, cell);
    last = Math.max(last, cell);
    if (last - first >= maxCells) {
      do {
        grow();
      } while (last - first >= maxCells);
      cell = Math.floorDiv(time - origin, width());
    }
    if (series.add((int) cell, samples, weightNanos) && ++counts > checkAt) {
      mergeCounts();
    }
  }

  /** Grows until there are few enough counts; at the last width there is one for each series. */
  private void mergeCounts() {
    while (counts > limit() && widthIndex < WIDTHS.length - 1) {
      grow();
    }
    checkAt = limit();
  }

  private long limit() {
    return maxCounts + 2L * allSeries.size();
  }

  private void grow() {
    if (widthIndex == WIDTHS.length - 1) {
      throw new IllegalStateException("times " + first + " to " + last + " need wider cells");
    }
    int factor = (int) (WIDTHS[widthIndex + 1] / WIDTHS[widthIndex]);
    widthIndex++;
    first = Math.floorDiv(first, factor);
    last = Math.floorDiv(last, factor);
    counts = 0;
    for (CellSeries series : allSeries) {
      counts += series.grow(factor);
    }
  }

  private long width() {
    return WIDTHS[widthIndex];
  }

  /** The width of a cell in ns. */
  public long widthNanos() {
    return width();
  }

  /** The number of cells from the first with a sample to the last one; 0 without samples. */
  public int count() {
    return hasAny ? (int) (last - first + 1) : 0;
  }

  /** When cell 0 begins, in ns since 1970. */
  public long startNanos() {
    return origin + first * width();
  }

  /** Visits the counts of a series. */
  public void forEach(CellSeries series, Visitor visitor) {
    series.forEach((int) first, visitor);
  }
}
