package stackweave.jfr.call;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongBinaryOperator;
import jdk.jfr.FlightRecorder;

/**
 * Writes the events of native calls: slow ones on the calling thread, through {@link #writer}, and
 * counts at the end of each chunk, on the thread of JFR that ends it. Thread-safe; no lock is taken
 * on a calling thread.
 */
public final class NativeCallEvents implements AutoCloseable {
  private final TimedMethods methods;
  private final CallClock clock = new CallClock();

  /** Guarded by this, as is {@link #registered}. */
  private Runnable hook = new EndHook();

  private boolean registered;

  /** Guards {@link #written}. While it is held, only JFR is called. */
  private final Object counts = new Object();

  private final Map<Integer, long[]> written = new HashMap<>();

  /** Nothing is registered before {@link #register}. */
  public NativeCallEvents(TimedMethods methods) {
    this.methods = methods;
  }

  /** Registers events and hook. Takes JFR's locks; repeated calls have no effect. */
  public void register() {
    Runnable first;
    synchronized (this) {
      if (registered) {
        return;
      }
      registered = true;
      first = hook;
    }
    FlightRecorder.register(NativeCall.class);
    FlightRecorder.register(NativeCallCounts.class);
    FlightRecorder.addPeriodicEvent(NativeCallCounts.class, first);
    clock.begin();
  }

  /**
   * Moves the hook that writes counts behind all hooks that JFR knows by now: calls made while a
   * later, slow hook runs would be missing in the chunk. Takes JFR's locks.
   */
  public void writeLast() {
    Runnable old;
    Runnable last = new EndHook();
    synchronized (this) {
      if (!registered) {
        return;
      }
      old = hook;
      hook = last;
    }
    FlightRecorder.addPeriodicEvent(NativeCallCounts.class, last);
    FlightRecorder.removePeriodicEvent(old);
    synchronized (this) {
      if (registered) {
        return;
      }
    }
    // close() was called meanwhile, maybe before this was added
    FlightRecorder.removePeriodicEvent(last);
  }

  /** Unregisters the events. */
  @Override
  public void close() {
    Runnable last;
    synchronized (this) {
      if (!registered) {
        return;
      }
      registered = false;
      last = hook;
    }
    FlightRecorder.removePeriodicEvent(last);
    FlightRecorder.unregister(NativeCall.class);
    FlightRecorder.unregister(NativeCallCounts.class);
  }

  /**
   * Returns what writes the slow calls of a method.
   *
   * @return a function that gets begin and end of a call on the clock of System.nanoTime, on the
   *     calling thread, and returns 1 if JFR got an event
   */
  public LongBinaryOperator writer(int number) {
    return new Writer(clock, methods.method(number), methods.descriptor(number));
  }

  /** Discards what was counted so far: it belongs to no recording. */
  public void passOver() {
    read(false);
  }

  /** Writes what was counted since the last call. Any thread. */
  public void writeCounts() {
    read(true);
  }

  private void read(boolean isWritten) {
    synchronized (counts) {
      for (int i = 0; i < methods.count(); i++) {
        long[] now = new long[TimedMethods.COUNTERS];
        if (methods.read(i, now)) {
          if (isWritten) {
            write(i, now);
          }
          written.put(i, now);
        }
      }
    }
  }

  private void write(int number, long[] now) {
    NativeCallCounts event = new NativeCallCounts();
    StringBuilder histogram = new StringBuilder();
    for (int i = 0; i < TimedMethods.BUCKETS; i++) {
      long calls = since(number, now, i);
      if (calls > 0) {
        event.calls += calls;
        histogram.append(histogram.isEmpty() ? "" : ",").append(bound(i)).append('=').append(calls);
      }
    }
    event.slowCalls = since(number, now, TimedMethods.SLOW_CALLS);
    if (event.calls + event.slowCalls == 0) {
      return;
    }
    event.method = methods.method(number);
    event.descriptor = methods.descriptor(number);
    event.time = since(number, now, TimedMethods.TIME);
    event.histogram = histogram.toString();
    event.slowTime = since(number, now, TimedMethods.SLOW_TIME);
    event.commit();
  }

  private long since(int number, long[] now, int counter) {
    long[] before = written.get(number);
    return now[counter] - (before == null ? 0 : before[counter]);
  }

  private static String bound(int bucket) {
    boolean isLast = bucket == TimedMethods.BUCKETS - 1;
    return isLast ? "max" : Long.toString(TimedMethods.FIRST_BOUND << bucket);
  }

  /** Called by JFR. */
  private final class EndHook implements Runnable {
    @Override
    public void run() {
      try {
        writeCounts();
      } catch (RuntimeException | Error e) {
        return; // no memory: the next chunk has these calls, too
      }
    }
  }

  private record Writer(CallClock clock, String method, String descriptor)
      implements LongBinaryOperator {
    @Override
    public long applyAsLong(long beginNanos, long endNanos) {
      NativeCall event = new NativeCall();
      // JFR's threshold may have risen since the call was found slow.
      if (!event.isEnabled()
          || !clock.stamp(event, beginNanos, endNanos)
          || !event.shouldCommit()) {
        return 0;
      }
      event.method = method;
      event.descriptor = descriptor;
      event.commit();
      return 1;
    }
  }
}
