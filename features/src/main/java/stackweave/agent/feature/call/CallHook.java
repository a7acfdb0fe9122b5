package stackweave.agent.feature.call;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongBinaryOperator;

/**
 * Called by the wrappers of native methods, on the application's threads. It runs as a public copy
 * in java.lang, {@link CallSwitch#COPY}, since wrappers are in classes of any loader; so it must
 * use nothing outside java.base and load no class of the agent. It takes no lock, allocates at a
 * method's first call and where many threads count at once, and throws nothing.
 *
 * <p>{@link #on} and {@link #threshold} are plain fields: a compiled wrapper reads them after each
 * native call anew, since it can't know what that call has changed.
 */
public final class CallHook {
  /** Most methods. */
  static final int MAX_METHODS = 4096;

  /** The same as in {@code TimedMethods}, to which this class must not refer. */
  static final int BUCKETS = 28;

  static final int TIME = BUCKETS;
  static final int SLOW_CALLS = TIME + 1;
  static final int SLOW_TIME = SLOW_CALLS + 1;

  private static final String PREFIX = "stackweave$native$";

  /** Shorter calls, whose nanoseconds have fewer bits, are counted together. */
  private static final int FIRST_BITS = 5;

  /** Whether any method is timed. */
  static boolean on;

  /** Nanoseconds from which on a call gets an event. */
  static long threshold = Long.MAX_VALUE;

  /** By method: whether it is timed. */
  static final byte[] SELECTED = new byte[MAX_METHODS];

  /** By method: its counters; null until it is called while it is timed. */
  static final AtomicReferenceArray<LongAdder[]> COUNTERS = new AtomicReferenceArray<>(MAX_METHODS);

  /** By method: gets begin and end of its slow calls; null for none. */
  static final AtomicReferenceArray<LongBinaryOperator> WRITERS =
      new AtomicReferenceArray<>(MAX_METHODS);

  private CallHook() {}

  /**
   * A wrapper is about to call its native method.
   *
   * @return the time, to be passed to {@link #end}; 0 if the call is not timed
   */
  public static long begin(int method) {
    return on && SELECTED[method] != 0 ? now() : 0;
  }

  private static long now() {
    long now = System.nanoTime();
    return now == 0 ? 1 : now;
  }

  /** The native method has returned or thrown. */
  public static void end(long begin, int method) {
    if (begin != 0) {
      count(begin, method);
    }
  }

  private static void count(long begin, int method) {
    long end = System.nanoTime();
    long nanos = Math.max(0, end - begin);
    try {
      LongAdder[] counters = counters(method);
      // A slow call without an event is counted like a short one.
      if (nanos >= threshold && isWritten(method, begin, end)) {
        counters[SLOW_CALLS].increment();
        counters[SLOW_TIME].add(nanos);
        return;
      }
      int bits = Long.SIZE - Long.numberOfLeadingZeros(nanos);
      counters[Math.min(Math.max(0, bits - FIRST_BITS), BUCKETS - 1)].increment();
      counters[TIME].add(nanos);
    } catch (Throwable e) {
      return; // the application's heap is full: the call is not counted
    }
  }

  private static boolean isWritten(int method, long begin, long end) {
    try {
      LongBinaryOperator writer = WRITERS.get(method);
      return writer != null && writer.applyAsLong(begin, end) != 0;
    } catch (Throwable e) {
      return false; // no memory, or JFR is ending: the application goes on
    }
  }

  private static LongAdder[] counters(int method) {
    LongAdder[] known = COUNTERS.get(method);
    if (known == null) {
      known = new LongAdder[SLOW_TIME + 1];
      for (int i = 0; i < known.length; i++) {
        known[i] = new LongAdder();
      }
      COUNTERS.compareAndSet(method, null, known);
      known = COUNTERS.get(method); // another thread may have been first
    }
    return known;
  }

  /** A function's name without the wrappers' prefix: JNA looks up functions by methods' names. */
  public static String plainName(String function) {
    return function == null ? null : function.replace(PREFIX, "");
  }
}
