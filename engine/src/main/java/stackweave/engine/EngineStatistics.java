package stackweave.engine;

import java.util.StringJoiner;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;

/**
 * A number for each {@link EngineFigure}, 0 for those that an engine does not have. Filled by the
 * engine in {@link SampleEngine#statistics}. Not thread-safe.
 */
public final class EngineStatistics {
  private static final EngineFigure[] ALL = EngineFigure.values();

  private final EngineKind kind;
  private final long[] values = new long[ALL.length];

  /** All are 0. */
  public EngineStatistics(EngineKind kind) {
    this.kind = kind;
  }

  /** Sets a figure; returns this. */
  public EngineStatistics set(EngineFigure figure, long value) {
    values[figure.ordinal()] = value;
    return this;
  }

  /** A figure, in its unit. */
  public long get(EngineFigure figure) {
    return values[figure.ordinal()];
  }

  /** Adds the figures that are sums to their counters. */
  public void addSums(Counters counters) {
    for (EngineFigure figure : ALL) {
      Counter counter = figure.counter();
      if (counter != null && counter.adding() == Counter.Adding.SUM) {
        counters.add(counter, get(figure));
      }
    }
  }

  /** Adds the figures that are sums to their counters, and sets those that are present values. */
  public void addAll(Counters counters) {
    addSums(counters);
    for (EngineFigure figure : ALL) {
      Counter counter = figure.counter();
      if (counter != null && counter.adding() != Counter.Adding.SUM) {
        counters.set(counter, get(figure));
      }
    }
  }

  /** For people and tests: {@code perf: INTERVAL=10000000, THREADS=5, …}. */
  @Override
  public String toString() {
    StringJoiner text = new StringJoiner(", ", kind + ": ", "");
    for (EngineFigure figure : ALL) {
      text.add(figure + "=" + get(figure));
    }
    return text.toString();
  }
}
