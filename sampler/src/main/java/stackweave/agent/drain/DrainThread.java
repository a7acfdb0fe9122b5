package stackweave.agent.drain;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import stackweave.agent.attach.DrainThreadName;
import stackweave.agent.attach.SwitchPlaces;
import stackweave.agent.drain.limit.Room;
import stackweave.engine.perf.PerfBudget;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.status.SamplerFigures;
import stackweave.linux.DaemonThread;
import stackweave.linux.NativeAccess;

/**
 * The agent's one working thread, made by {@link Sampler} for a request. It waits until there is
 * room and sampling is not switched off, and then samples ({@link EngineSession}) until it is
 * stopped. An obstacle is reported once on stderr, and in every chunk of the recording.
 *
 * <p>It must not end the application: every Throwable ends sampling only.
 */
final class DrainThread implements Runnable {
  /** How often the switch file is looked for while nothing is sampled. */
  private static final long SWITCH_NANOS = 1_000_000_000L;

  /** How often an engine that was refused is tried again. */
  private static final long RETRY_NANOS = 10_000_000_000L;

  private final DrainParts parts;
  private final AgentTools tools;
  private final Status status;
  private final StopSignal stop = new StopSignal();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread thread;

  /** Why it ended by itself; empty before. */
  private volatile String endReason = "";

  DrainThread(DrainParts parts, AgentTools tools, Status status) {
    this.parts = parts;
    this.tools = tools;
    this.status = status;
    this.thread = DaemonThread.of(DrainThreadName.NAME, this);
  }

  // ---- any thread

  /** The request that it serves. */
  SamplingRequest request() {
    return parts.request();
  }

  void start() {
    thread.start();
  }

  /** Whether it has ended, also by an error. */
  boolean hasEnded() {
    return ended.getCount() == 0;
  }

  /** Why it has ended by itself, in one line; empty if it has not. */
  String endReason() {
    return endReason;
  }

  /** Whether an engine runs, or none may. */
  boolean hasStarted() {
    return parts.started().getCount() == 0;
  }

  /** Ends the thread; returns when it has released everything, or after {@code timeoutMillis}. */
  boolean stop(long timeoutMillis) {
    stop.set();
    try {
      return ended.await(timeoutMillis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  // ---- this thread

  @Override
  public void run() {
    try {
      // Before any class that sampling needs is loaded: a loaded class stays.
      awaitRoom();
      if (stop.isSet()) {
        return;
      }
      if (NativeAccess.whyNot() == null) {
        parts.machine().rights().take();
        sample();
      } else {
        stateNoSamples(NativeAccess.whyNot());
        while (!stop.isSet()) {
          pause(RETRY_NANOS);
        }
      }
    } catch (Throwable e) {
      // The application must not notice a failure of this thread.
      if (parts.machine().process().isOwn() || parts.machine().process().hasMemory()) {
        status.stateFailure(e);
        endReason = status.totals().note;
      } else {
        stateGone();
      }
    } finally {
      status.close();
      parts.started().countDown();
      ended.countDown();
    }
  }

  private void sample() {
    status.begin();
    long perfMemory = parts.options().perfMemoryBytes();
    try (PerfBudget budget = new PerfBudget(perfMemory, parts.machine().process())) {
      EngineSession session = new EngineSession(parts, tools, status, stop, budget);
      while (!stop.isSet() && endReason.isEmpty()) {
        awaitSwitchedOn();
        awaitRoom();
        End end = stop.isSet() ? End.STOPPED : session.run();
        switch (end) {
          case REFUSED, REFUSED_FOR_NOW -> {
            stateNoSamples(status.totals().engineReason);
            awaitRetry(budget, end == End.REFUSED_FOR_NOW);
          }
          case NO_ROOM -> stateNoRoom();
          case GONE -> stateGone();
          case STOPPED, REPLACED -> {}
        }
        if (status.store() != null) {
          // Ids of methods and modules start again with each run.
          status.store().newGeneration();
          status.store().rest();
        }
      }
    }
  }

  /** Waits until sampling is not switched off, without holding resources. */
  private void awaitSwitchedOn() {
    Path off = parts.switchFile().present();
    if (off == null) {
      return;
    }
    status.openStore(stop::wake);
    stateSwitchedOff(off);
    while (!stop.isSet() && parts.switchFile().present() != null) {
      pause(SWITCH_NANOS);
    }
  }

  /** Waits for room for sampling, holding only loaded classes. */
  private void awaitRoom() {
    Path off = null;
    boolean isSaid = false;
    for (int looks = 1; !stop.isSet(); looks++) {
      boolean mayBegin = parts.room().mayBegin();
      if (off == null && mayBegin) {
        status.clear();
        return;
      }
      if (looks % (SWITCH_NANOS / Room.LOOK_NANOS) == 0) {
        Path before = off;
        off = parts.switchFile().present();
        if (off != null && !off.equals(before)) {
          stateSwitchedOff(off);
          isSaid = false;
        }
      }
      if (off == null && !isSaid && looks >= Room.LOOKS_UNTIL_SAID) {
        isSaid = true;
        stateNoRoom();
      }
      pause(Room.LOOK_NANOS);
    }
  }

  /**
   * Waits before an engine that was refused is tried again, or until sampling is switched off.
   *
   * @param mayPass whether the cause may disappear by itself
   */
  private void awaitRetry(PerfBudget budget, boolean mayPass) {
    long began = System.nanoTime();
    while (!stop.isSet() && parts.switchFile().present() == null) {
      pause(SWITCH_NANOS);
      long now = System.nanoTime();
      if (now - began >= RETRY_NANOS) {
        began = now;
        if (mayPass || budget.isFreeAgain(now)) {
          return;
        }
      }
    }
  }

  /** Waits; a chunk that ends meanwhile gets the reason why it has no samples. */
  private void pause(long nanos) {
    stop.park(nanos);
    status.flushIfRequested();
  }

  private void stateSwitchedOff(Path off) {
    state(
        SwitchPlaces.SWITCHED_OFF + off + " (remove it to go on)",
        "switched off by " + off + "; remove it to go on");
  }

  /** The sampled process is no more what it was. */
  private void stateGone() {
    SampledProcess process = parts.machine().process();
    boolean runsAnother = process.hasMemory();
    endReason =
        "process "
            + process.pid()
            + (runsAnother ? " runs another program now (exec)" : " has ended");
    if (runsAnother) {
      status.stateEnd(SamplerFigures.NOT_SAMPLING + endReason);
    } else {
      status.write(); // that a program ends is nothing to be warned of
    }
  }

  private void stateNoRoom() {
    String note = SamplerFigures.NOT_SAMPLING + parts.room().whyNot();
    state(note, note);
  }

  private void stateNoSamples(String whyNot) {
    status.openStore(stop::wake);
    status.totals().engineReason = whyNot;
    state(SamplerFigures.NOT_SAMPLING + whyNot, "no samples: " + whyNot);
  }

  private void state(String note, String message) {
    parts.started().countDown();
    status.stateObstacle(note, message);
  }
}
