package stackweave.jfr.status;

/** A number for each {@link Counter}. Not thread-safe; allocates nothing after construction. */
public final class Counters {
  private static final Counter[] ALL = Counter.values();

  private final long[] values;

  /** Creates counters that are all 0. */
  public Counters() {
    this(new long[ALL.length]);
  }

  private Counters(long[] values) {
    this.values = values;
  }

  /** The number of {@code counter}. */
  public long get(Counter counter) {
    return values[counter.ordinal()];
  }

  /** Sets the number of {@code counter}; returns this. */
  public Counters set(Counter counter, long value) {
    values[counter.ordinal()] = value;
    return this;
  }

  /** Adds to the number of {@code counter}, whatever its {@link Counter#adding}. */
  public void add(Counter counter, long more) {
    values[counter.ordinal()] += more;
  }

  /** An independent copy. */
  public Counters copy() {
    return new Counters(values.clone());
  }

  /** Adds later numbers, each as {@link Counter#adding} says; returns this. */
  public Counters plus(Counters later) {
    for (int i = 0; i < values.length; i++) {
      long more = later.values[i];
      values[i] =
          switch (ALL[i].adding()) {
            case SUM -> values[i] + more;
            case LAST -> more == 0 ? values[i] : more;
            case MAX -> Math.max(values[i], more);
          };
    }
    return this;
  }

  /** Subtracts earlier numbers from sums; others stay. Returns this. */
  public Counters minus(Counters earlier) {
    for (int i = 0; i < values.length; i++) {
      if (ALL[i].adding() == Counter.Adding.SUM) {
        values[i] -= earlier.values[i];
      }
    }
    return this;
  }
}
