package stackweave.jfr.event;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import jdk.jfr.Event;

/**
 * JFR's ticks at times of {@link System#nanoTime}. JFR stamps events with ticks of its own when
 * they begin, in private fields that it adds to every event class (JDK 17 to 27), which a lookup in
 * an event class of Stackweave can set. The ticks' rate follows from pairs of simultaneous readings
 * of both clocks; ticks are read by beginning an event. Thread-safe: what was read is immutable,
 * and if two threads read at once, either result is right.
 */
public abstract class TickClock {
  /** The shortest duration that JFR keeps: it replaces 0 by the time since the start. */
  protected static final long MIN_DURATION_TICKS = 1;

  /** How often the clocks are compared: NTP adjusts nanoTime by at most 0.5 ms per second. */
  private static final long ANCHOR_NANOS = 500_000_000L;

  /** The shortest time between two comparisons; each is precise to about 0.1 µs. */
  private static final long FIRST_RATE_NANOS = 2_000_000L;

  private static final int ANCHOR_TRIES = 8;
  private static final long GOOD_ANCHOR_NANOS = 500L;

  /**
   * Both clocks at a moment.
   *
   * @param ticksPerNano the rate since the first such moment; 0 of that one
   */
  private record Anchor(long nanos, long ticks, double ticksPerNano) {
    long ticksAt(long timeNanos) {
      return ticks + (long) ((timeNanos - nanos) * ticksPerNano);
    }
  }

  private volatile Anchor first;

  /** Null until the rate is known. */
  private volatile Anchor last;

  /** A field that JFR adds to an event's class; null if it can't be set. */
  protected static VarHandle field(Class<? extends Event> event, String name) {
    try {
      return MethodHandles.privateLookupIn(event, MethodHandles.lookup())
          .findVarHandle(event, name, long.class);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /** The ticks at which an event begins now; 0 while JFR does not stamp events. */
  protected abstract long ticksNow();

  /** Reads both clocks for the first time, if JFR stamps events already. */
  public final void begin() {
    if (first == null) {
      first = read();
    }
  }

  /**
   * Compares the clocks if it is time to; the first time that takes two milliseconds after {@link
   * #begin}.
   *
   * @param timeNanos about now
   * @return whether ticks are known; false while JFR does not stamp events
   */
  public final boolean refresh(long timeNanos) {
    Anchor known = last;
    if (known != null && timeNanos - known.nanos <= ANCHOR_NANOS) {
      return true;
    }
    begin();
    Anchor from = first;
    if (from == null) {
      return false;
    }
    while (System.nanoTime() - from.nanos < FIRST_RATE_NANOS) {
      Thread.onSpinWait();
    }
    Anchor now = read();
    if (now != null) {
      double rate = (double) (now.ticks - from.ticks) / (now.nanos - from.nanos);
      last = new Anchor(now.nanos, now.ticks, rate);
    }
    return last != null;
  }

  /** Whether ticks are known, as {@link #refresh} found out last. */
  public final boolean isCalibrated() {
    return last != null;
  }

  /** The ticks at a time by System.nanoTime; the clock must be {@link #isCalibrated}. */
  protected final long ticks(long timeNanos) {
    return last.ticksAt(timeNanos);
  }

  /** Reads both clocks as close together as a few tries allow; null if JFR stamps no events. */
  private Anchor read() {
    Anchor best = null;
    long least = Long.MAX_VALUE;
    for (int i = 0; i < ANCHOR_TRIES && least > GOOD_ANCHOR_NANOS; i++) {
      long before = System.nanoTime();
      long ticks = ticksNow();
      long after = System.nanoTime();
      if (ticks == 0) {
        return null;
      }
      if (after - before < least) {
        least = after - before;
        best = new Anchor(before + (after - before) / 2, ticks, 0);
      }
    }
    return best;
  }
}
