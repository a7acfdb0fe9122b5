package stackweave.jfr.read.time;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Counts samples by cells of time while a recording is read. Cells are 20 ms wide; they grow when
 * the recording has more than {@link #MAX_CELLS} of them, or when there are more counts than {@link
 * #MAX_COUNTS} and two for each series. So memory depends on the number of series alone. Used by
 * the reader of recordings, which has a series for each distinct stack of a thread. Not
 * thread-safe.
 */
public final class TimeCells {
  /** 24 hours have 86,400 cells of a second. */
  public static final int MAX_CELLS = 90_000;

  /** Counts in memory, of up to 12 bytes and usually 2. */
  public static final int MAX_COUNTS = 2_000_000;

  private static final long MILLI = 1_000_000;

  /** Each is a multiple of the one before. The last is wider than 90,000th of what a long holds. */
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

  /** Times farther from 1970 are damage; the difference of two that are nearer is a long. */
  private static final long FARTHEST = Long.MAX_VALUE / 2;

  private static final long DAY = 86_400_000 * MILLI;

  /** Strays are at most so small a part of all samples: a hundredth. */
  private static final int STRAYS = 100;

  /** Cells that get a part of a sample's weight: 80 s at the first width. */
  private static final int MAX_PARTS = 4_096;

  /** Samples that wait until it is known where most are. */
  private static final int MAX_WAITING = 1_000;

  private record Waiting(CellSeries series, long nanos, long samples, long weightNanos) {}

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
  private final List<Waiting> waiting = new ArrayList<>();
  private long all;
  private long strays;
  private long earliest = Long.MAX_VALUE;
  private long latest = Long.MIN_VALUE;
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
   * Counts a sample. One that is far from all others waits, as its time may be a step of the clock.
   *
   * @param series one of these cells
   * @param nanos when it was taken, since 1970
   * @param weightNanos time that it stands for
   */
  public void add(CellSeries series, long nanos, long weightNanos) {
    all++;
    add(series, nanos, 1, weightNanos);
  }

  /**
   * Counts a sample whose weight is of the time before it: each cell of that time gets its part.
   *
   * @param series one of these cells
   * @param nanos when it was taken, since 1970
   * @param weightNanos the time that it stands for, which ends then
   */
  public void addEnding(CellSeries series, long nanos, long weightNanos) {
    long parts = Math.max(1, Math.min(MAX_PARTS, weightNanos / width()));
    long part = weightNanos / parts;
    for (long i = parts - 1; i > 0; i--) {
      add(series, nanos - i * part, 0, part);
    }
    all++;
    add(series, nanos, 1, weightNanos - (parts - 1) * part);
  }

  private void add(CellSeries series, long nanos, long samples, long weightNanos) {
    long time = Math.max(-FARTHEST, Math.min(nanos, FARTHEST));
    if (!hasAny || isFar(time)) {
      waiting.add(new Waiting(series, time, samples, weightNanos));
      if (waiting.size() >= MAX_WAITING) {
        settle(false);
      }
    } else {
      count(series, time, samples, weightNanos);
    }
  }

  /** Whether a time is farther from all others than a day and the time that those have. */
  private boolean isFar(long time) {
    long reach = DAY + Math.min(latest - earliest, FARTHEST - DAY);
    return time > latest && time - latest > reach || time < earliest && earliest - time > reach;
  }

  /**
   * Counts the waiting samples, but for strays: those that are far from the middle one of them, and
   * few of all.
   *
   * @param isLast whether strays are counted, too, in the first or last cell
   */
  private void settle(boolean isLast) {
    if (waiting.isEmpty()) {
      return;
    }
    List<Waiting> sorted = new ArrayList<>(waiting);
    waiting.clear();
    sorted.sort(Comparator.comparingLong(Waiting::nanos));
    // From the bulk outwards; at first that is the middle one.
    int middle = sorted.size() / 2;
    if (hasAny) {
      middle = 0;
      while (middle < sorted.size() && sorted.get(middle).nanos < earliest) {
        middle++;
      }
    } else {
      earliest = sorted.get(middle).nanos;
      latest = earliest;
    }
    List<Waiting> near = new ArrayList<>();
    List<Waiting> far = new ArrayList<>();
    for (int i = middle; i < sorted.size(); i++) {
      divide(sorted.get(i), near, far);
    }
    for (int i = middle - 1; i >= 0; i--) {
      divide(sorted.get(i), near, far);
    }
    boolean areStrays = far.size() < MAX_WAITING && far.size() <= all / STRAYS;
    if (!areStrays) {
      near.addAll(far);
    } else if (isLast) {
      strays += far.size();
      for (Waiting stray : far) {
        long time = Math.max(earliest, Math.min(stray.nanos, latest));
        near.add(new Waiting(stray.series, time, stray.samples, stray.weightNanos));
      }
    } else {
      waiting.addAll(far);
    }
    if (!hasAny) {
      hasAny = true;
      origin = near.stream().mapToLong(Waiting::nanos).min().orElse(0);
    }
    near.forEach(sample -> count(sample.series, sample.nanos, sample.samples, sample.weightNanos));
  }

  private void divide(Waiting sample, List<Waiting> near, List<Waiting> far) {
    if (isFar(sample.nanos)) {
      far.add(sample);
    } else {
      earliest = Math.min(earliest, sample.nanos);
      latest = Math.max(latest, sample.nanos);
      near.add(sample);
    }
  }

  private void count(CellSeries series, long time, long samples, long weightNanos) {
    long cell = Math.floorDiv(time - origin, width());
    earliest = Math.min(earliest, time);
    latest = Math.max(latest, time);
    first = Math.min(first, cell);
    last = Math.max(last, cell);
    if (last - first >= maxCells) {
      do {
        grow();
      } while (last - first >= maxCells);
      cell = Math.floorDiv(time - origin, width());
    }
    if (series.add(cell, samples, weightNanos) && ++counts > checkAt) {
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

  /**
   * The samples whose time is more than a day from all others, and that are less than a hundredth
   * of all: they are counted in the first or last cell.
   */
  public long strays() {
    settle(true);
    return strays;
  }

  /** The width of a cell in ns. */
  public long widthNanos() {
    settle(true);
    return width();
  }

  /** The number of cells from the first with a sample to the last one; 0 without samples. */
  public int count() {
    settle(true);
    return hasAny ? (int) (last - first + 1) : 0;
  }

  /** When cell 0 begins, in ns since 1970. */
  public long startNanos() {
    settle(true);
    return origin + first * width();
  }

  /** Visits the counts of a series. */
  public void forEach(CellSeries series, Visitor visitor) {
    settle(true);
    series.forEach((cell, count, weight) -> visitor.cell((int) (cell - first), count, weight));
  }
}
