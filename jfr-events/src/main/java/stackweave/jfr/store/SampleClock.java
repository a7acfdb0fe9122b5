package stackweave.jfr.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import jdk.jfr.Event;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.EventSample;
import stackweave.jfr.event.NativeAllocation;
import stackweave.jfr.event.NativeMemory;
import stackweave.jfr.event.StackSample;
import stackweave.jfr.event.WallSample;

/**
 * Gives sample events the time of their interrupt. JFR stamps events with its own ticks when they
 * are committed, in private fields that it adds to every event class (JDK 17 and 25), which a
 * lookup in an event class of Stackweave can set. The ticks' rate follows from pairs of
 * simultaneous readings of both clocks; ticks are read by beginning an event. Without access to the
 * fields, the sample's age has the difference. For the drain thread only.
 */
final class SampleClock {
  /** An event without duration would get "now − start" as its duration. */
  private static final long MIN_DURATION_TICKS = 1;

  /** How often the clocks are compared: NTP adjusts nanoTime by at most 0.5 ms per second. */
  private static final long ANCHOR_NANOS = 500_000_000L;

  /** The shortest time between two comparisons; each is precise to about 0.1 µs. */
  private static final long FIRST_RATE_NANOS = 2_000_000L;

  private static final int ANCHOR_TRIES = 8;
  private static final long GOOD_ANCHOR_NANOS = 500L;

  private static final VarHandle STACK_START = field(StackSample.class, "startTime");
  private static final VarHandle STACK_DURATION = field(StackSample.class, "duration");
  private static final VarHandle MEMORY_START = field(NativeMemory.class, "startTime");
  private static final VarHandle MEMORY_DURATION = field(NativeMemory.class, "duration");
  private static final VarHandle BLOCK_START = field(NativeAllocation.class, "startTime");
  private static final VarHandle BLOCK_DURATION = field(NativeAllocation.class, "duration");
  private static final VarHandle EVENT_START = field(EventSample.class, "startTime");
  private static final VarHandle EVENT_DURATION = field(EventSample.class, "duration");
  private static final VarHandle WALL_START = field(WallSample.class, "startTime");
  private static final VarHandle WALL_DURATION = field(WallSample.class, "duration");

  private static final VarHandle BLOCKED_START = field(Blocked.class, "startTime");
  private static final VarHandle BLOCKED_DURATION = field(Blocked.class, "duration");

  private boolean calibrated;
  private long firstNanos;
  private long firstTicks;
  private long anchorNanos;
  private long anchorTicks;
  private double ticksPerNano;

  private static VarHandle field(Class<? extends Event> event, String name) {
    try {
      return MethodHandles.privateLookupIn(event, MethodHandles.lookup())
          .findVarHandle(event, name, long.class);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /** Compares the clocks if it is time to; call it before each {@link #stamp}. */
  void refresh() {
    if (STACK_START == null || STACK_DURATION == null) {
      return;
    }
    if (WALL_START == null
        || WALL_DURATION == null
        || EVENT_START == null
        || EVENT_DURATION == null
        || MEMORY_START == null
        || MEMORY_DURATION == null
        || BLOCK_START == null
        || BLOCK_DURATION == null) {
      return;
    }
    if (!calibrated) {
      calibrated = calibrate();
    } else if (System.nanoTime() - anchorNanos > ANCHOR_NANOS) {
      renewAnchor();
    }
  }

  /**
   * Sets the time of an event that is committed later, on the clock of System.nanoTime.
   *
   * @return how long before its start time the sample was taken, in nanoseconds: 0 where that could
   *     be set
   */
  long stamp(StackSample event, long timeNanos) {
    if (!calibrated) {
      event.begin();
      event.end();
      return System.nanoTime() - timeNanos;
    }
    STACK_START.set(event, ticks(timeNanos));
    STACK_DURATION.set(event, MIN_DURATION_TICKS);
    return 0;
  }

  /** Sets the time of an event that is committed later. */
  void stamp(WallSample event, long timeNanos) {
    if (!calibrated) {
      event.begin();
      event.end();
      event.age = System.nanoTime() - timeNanos;
      return;
    }
    WALL_START.set(event, ticks(timeNanos));
    WALL_DURATION.set(event, MIN_DURATION_TICKS);
  }

  /** The same. */
  void stamp(NativeMemory event, long timeNanos) {
    if (!calibrated) {
      event.begin();
      event.end();
      event.age = System.nanoTime() - timeNanos;
      return;
    }
    MEMORY_START.set(event, ticks(timeNanos));
    MEMORY_DURATION.set(event, MIN_DURATION_TICKS);
  }

  /** The same. */
  void stamp(NativeAllocation event, long timeNanos) {
    if (!calibrated) {
      event.begin();
      event.end();
      event.age = System.nanoTime() - timeNanos;
      return;
    }
    BLOCK_START.set(event, ticks(timeNanos));
    BLOCK_DURATION.set(event, MIN_DURATION_TICKS);
  }

  /** The same. */
  void stamp(EventSample event, long timeNanos) {
    if (!calibrated) {
      event.begin();
      event.end();
      event.age = System.nanoTime() - timeNanos;
      return;
    }
    EVENT_START.set(event, ticks(timeNanos));
    EVENT_DURATION.set(event, MIN_DURATION_TICKS);
  }

  /**
   * Sets start and duration of an event that is committed later.
   *
   * @return false where they can't be set: there is no other place for a duration
   */
  boolean stamp(Blocked event, long startNanos, long durationNanos) {
    if (!calibrated || BLOCKED_START == null || BLOCKED_DURATION == null) {
      return false;
    }
    long start = ticks(startNanos);
    BLOCKED_START.set(event, start);
    BLOCKED_DURATION.set(
        event, Math.max(MIN_DURATION_TICKS, ticks(startNanos + durationNanos) - start));
    return true;
  }

  /** The time of an event by JFR's clock, of one that was stamped; 0 where it is not known. */
  long ticks(StackSample event) {
    return calibrated ? (long) STACK_START.get(event) : 0;
  }

  private long ticks(long timeNanos) {
    return anchorTicks + Math.round((timeNanos - anchorNanos) * ticksPerNano);
  }

  /** Compares the clocks twice; false while JFR does not stamp events. */
  private boolean calibrate() {
    if (!anchor()) {
      return false;
    }
    firstNanos = anchorNanos;
    firstTicks = anchorTicks;
    while (System.nanoTime() - firstNanos < FIRST_RATE_NANOS) {
      Thread.onSpinWait();
    }
    return renewAnchor();
  }

  private boolean renewAnchor() {
    if (!anchor()) {
      return false;
    }
    ticksPerNano = (double) (anchorTicks - firstTicks) / (anchorNanos - firstNanos);
    return true;
  }

  /** Reads both clocks as close together as a few tries allow. */
  private boolean anchor() {
    long best = Long.MAX_VALUE;
    for (int i = 0; i < ANCHOR_TRIES && best > GOOD_ANCHOR_NANOS; i++) {
      StackSample probe = new StackSample();
      long before = System.nanoTime();
      probe.begin();
      long after = System.nanoTime();
      long ticks = (long) STACK_START.get(probe);
      if (ticks == 0) {
        return false;
      }
      if (after - before < best) {
        best = after - before;
        anchorNanos = before + (after - before) / 2;
        anchorTicks = ticks;
      }
    }
    return true;
  }
}
