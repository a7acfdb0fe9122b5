package stackweave.jfr.store;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.jfr.FlightRecorder;
import stackweave.jfr.event.ChunkEnd;
import stackweave.jfr.event.SamplerStatus;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.SamplerFigures;

/**
 * Reports why a recording that ended before sampling began is empty: until {@link #begun}, each
 * chunk gets a {@code stackweave.SamplerStatus} event at its end, written on the rotating thread.
 * Made by the agent's sampler for each request. Thread-safe.
 */
public final class StartWatch implements Runnable, AutoCloseable {
  /** How long a chunk's end waits for {@link #prepare}. */
  private static final long PREPARED_MILLIS = 100;

  private static final long NEED_SECONDS = 10;

  private final CountDownLatch needed = new CountDownLatch(1);
  private final CountDownLatch prepared = new CountDownLatch(1);
  private final long askedNanos;
  private final MissedCpu missed;
  private final List<String> notes;
  private volatile boolean begun;

  /** Why sampling does not begin; empty while it is being prepared. */
  private volatile String obstacle = "";

  private StartWatch(long askedNanos, MissedCpu missed, List<String> notes) {
    this.askedNanos = askedNanos;
    this.missed = missed;
    this.notes = notes;
  }

  /**
   * Starts watching. Takes some milliseconds, and JFR's locks: must not be called on an application
   * thread. {@link #prepare} must follow.
   *
   * @param askedNanos when samples were requested, on the clock of {@link System#nanoTime}
   * @param missed CPU time that is reported in these events if it was not before
   * @param notes further notes for these events, one line each
   */
  public static StartWatch begin(long askedNanos, MissedCpu missed, List<String> notes) {
    StartWatch watch = new StartWatch(askedNanos, missed, notes);
    FlightRecorder.register(ChunkEnd.class);
    FlightRecorder.addPeriodicEvent(ChunkEnd.class, watch);
    return watch;
  }

  /**
   * Makes what is written at the end of a chunk. Takes 25 to 50 ms, during which an engine starts,
   * and JFR's locks; a chunk that ends meanwhile waits for it.
   */
  public void prepare() {
    FlightRecorder.register(SamplerStatus.class);
    StatusFields.load();
    prepared.countDown();
  }

  /**
   * Waits until other events than these are needed, for ten seconds at most: on a machine without
   * an idle CPU, what registers them takes time from what starts an engine.
   */
  public void awaitNeed() {
    try {
      needed.await(NEED_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Events are needed from now on, or an engine has started. Any thread; takes no lock. */
  public void need() {
    needed.countDown();
  }

  /** Samples are taken, or a status event has reported why not. Any thread; takes no lock. */
  public void begun() {
    begun = true;
  }

  /** Sets why sampling does not begin, for a recording that ends before it does. Any thread. */
  public void waitsFor(String reason) {
    obstacle = reason;
  }

  /** Time since the request, in ns. */
  public long delayNanos() {
    return System.nanoTime() - askedNanos;
  }

  /** Removes the hook. Takes JFR's locks: must not be called on the drain thread. */
  @Override
  public void close() {
    begun = true;
    FlightRecorder.removePeriodicEvent(this);
  }

  /** Before that only one thread may use the event: see {@code SamplingListener.onRegistering}. */
  private boolean awaitPrepared() {
    try {
      return prepared.await(PREPARED_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** A chunk ends. Called by JFR. */
  @Override
  public void run() {
    if (begun || !awaitPrepared()) {
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
    long cpuMissed = missed.take(SampledProcess.OWN.cpuNanos());
    Counters counters =
        new Counters().set(Counter.CPU_MISSED, cpuMissed).set(Counter.CPU_USED, cpuMissed);
    StatusFields.event(new SamplerFigures("", "", note.toString(), counters, Map.of())).commit();
  }
}
