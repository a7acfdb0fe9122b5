package stackweave.jfr.call;

import java.lang.invoke.VarHandle;
import stackweave.jfr.event.TickClock;

/** Gives an event the start and the duration of a call that is over. Thread-safe. */
final class CallClock extends TickClock {
  private static final VarHandle START = field(NativeCall.class, "startTime");
  private static final VarHandle DURATION = field(NativeCall.class, "duration");

  @Override
  protected long ticksNow() {
    if (START == null || DURATION == null) {
      return 0;
    }
    NativeCall probe = new NativeCall();
    probe.begin();
    return (long) START.get(probe);
  }

  /**
   * Sets start and duration.
   *
   * @param beginNanos when the call began, on the clock of System.nanoTime
   * @param endNanos when it ended
   * @return false if that is not possible: JFR does not stamp events now, or has other fields
   */
  boolean stamp(NativeCall event, long beginNanos, long endNanos) {
    if (!refresh(endNanos)) {
      return false;
    }
    long start = ticks(beginNanos);
    START.set(event, start);
    DURATION.set(event, Math.max(MIN_DURATION_TICKS, ticks(endNanos) - start));
    return true;
  }
}
