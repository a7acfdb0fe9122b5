package stackweave.jfr.store;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import jdk.jfr.FlightRecorder;
import stackweave.jfr.control.ProcessCpu;
import stackweave.jfr.event.ChunkEnd;
import stackweave.jfr.event.SamplerStatus;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.SamplerFigures;

/**
 * Says why a recording is empty that ended before sampling began: until {@link #begun}, each chunk
 * gets a {@code stackweave.SamplerStatus} at its end, written on the rotating thread. Thread-safe.
 */
public final class StartWatch implements AutoCloseable {
  private final long askedNanos;
  private final MissedCpu missed;
  private final List<String> notes;
  private final Runnable hook = new Hook();
  private volatile boolean begun;

  /** Why sampling does not begin; "" while it is being prepared. */
  private volatile String obstacle = "";

  private StartWatch(long askedNanos, MissedCpu missed, List<String> notes) {
    this.askedNanos = askedNanos;
    this.missed = missed;
    this.notes = notes;
  }

  /**
   * Watches from now on. Takes some milliseconds, and locks of JFR: not to be called on an
   * application thread.
   *
   * @param askedNanos when samples were asked for, on the clock of {@link System#nanoTime}
   * @param missed what of it is not stated yet is stated in those events
   * @param notes what else is to be said there, one line each
   */
  public static StartWatch begin(long askedNanos, MissedCpu missed, List<String> notes) {
    StartWatch watch = new StartWatch(askedNanos, missed, notes);
    FlightRecorder.register(SamplerStatus.class);
    StatusFields.load();
    FlightRecorder.register(ChunkEnd.class);
    FlightRecorder.addPeriodicEvent(ChunkEnd.class, watch.hook);
    return watch;
  }

  /** Samples are taken, or a status has said why they are not. Any thread; takes no lock. */
  public void begun() {
    begun = true;
  }

  /** Says why sampling does not begin, for a recording that ends before it does. Any thread. */
  public void waitsFor(String reason) {
    obstacle = reason;
  }

  /** From the request for samples until now, in nanoseconds. */
  public long delayNanos() {
    return System.nanoTime() - askedNanos;
  }

  /** Takes the hook away. Needs locks of JFR: not for the drain thread. */
  @Override
  public void close() {
    begun = true;
    FlightRecorder.removePeriodicEvent(hook);
  }

  private void chunkEnds() {
    if (begun) {
      return;
    }
    if (!new SamplerStatus().isEnabled()) {
      return;
    }
    StringBuilder note =
        new StringBuilder(
            obstacle.isEmpty()
                ? String.format(
                    Locale.ROOT,
                    "sampling had not begun when the recording, or this chunk of it, ended:"
                        + " it was being prepared for %.1f s",
                    delayNanos() / 1e9)
                : obstacle);
    for (String more : notes) {
      note.append("; ").append(more);
    }
    long cpuMissed = missed.take(ProcessCpu.nanos());
    Counters counters =
        new Counters().set(Counter.CPU_MISSED, cpuMissed).set(Counter.CPU_USED, cpuMissed);
    StatusFields.event(new SamplerFigures("", "", note.toString(), counters, Map.of())).commit();
  }

  /** Not a lambda: bootstrapping the first costs some milliseconds. */
  private final class Hook implements Runnable {
    @Override
    public void run() {
      chunkEnds();
    }
  }
}
