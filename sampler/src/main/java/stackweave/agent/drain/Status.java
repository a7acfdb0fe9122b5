package stackweave.agent.drain;

import java.util.List;
import java.util.function.Supplier;
import stackweave.agent.drain.status.SamplerTotals;
import stackweave.agent.message.Messages;
import stackweave.agent.message.Notes;
import stackweave.engine.EngineDescription;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineStatistics;
import stackweave.engine.SampleEngine;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.status.SamplerFigures;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.StartWatch;
import stackweave.linux.CpuTime;

/**
 * The drain thread's status: publishes its figures and notes to other threads, writes them as
 * status events, and opens the store for them. Also accounts for CPU time that no sample stands
 * for. For the drain thread.
 */
final class Status implements AutoCloseable {
  private final SamplerTotals totals;
  private final StartWatch start;
  private final Supplier<EventStore> stores;

  /** Called when new figures have been published to other threads. */
  private final Runnable onPublish;

  private final Messages messages;
  private final SampledProcess process;

  /** Null until something is to be written. */
  private EventStore store;

  /** Null before native functions can be called, and after the end. */
  private CpuTime cpuTime;

  /** Null while none runs. */
  private SampleEngine engine;

  /** Whether one has run, and whether something was in the way. */
  private boolean hasBegun;

  private boolean isObstructed;

  /** Sources of notes on the running engine and its features. */
  private List<Supplier<String>> notes = List.of();

  /** Whether CPU time counts as missed although an engine runs; see {@link #endMissed}. */
  private boolean isMissed;

  /** CPU time of the process until the engine ran, and of this thread, in ns. */
  private long missedCpu;

  private long missedOwn;

  /** CPU time that all other threads had used when the engine began, in ns. */
  private long begin;

  /**
   * @param process the one that is sampled
   * @param start since when samples are requested; told when they are taken
   * @param stores opens the store, or returns the open one; called once, on this thread
   * @param onPublish called when new figures have been published to other threads
   */
  Status(
      SampledProcess process,
      SamplerTotals totals,
      StartWatch start,
      Supplier<EventStore> stores,
      Runnable onPublish,
      Messages messages) {
    this.process = process;
    this.totals = totals;
    this.start = start;
    this.stores = stores;
    this.onPublish = onPublish;
    this.messages = messages;
  }

  SamplerTotals totals() {
    return totals;
  }

  /** Native functions can be called from now on. */
  void begin() {
    cpuTime = new CpuTime(process);
    totals.startDelayNanos = 0;
    // If /proc could not be read when samples were requested.
    totals.missed.begin(processCpu(), cpuWithin());
  }

  /**
   * Returns the store, which the first call opens. That takes some 30 ms, so an engine is started
   * before.
   *
   * @param wake ends this thread's wait
   */
  EventStore openStore(Runnable wake) {
    if (store != null) {
      return store;
    }
    start.need();
    try {
      store = stores.get();
      store.attachDrain(wake);
      return store;
    } catch (Throwable e) {
      // Without a store no event can be written: the StartWatch reports it in the recording.
      start.waitsFor(SamplerFigures.NOT_SAMPLING + failure(e));
      throw e;
    }
  }

  /** The store; null before it is opened. */
  EventStore store() {
    return store;
  }

  /** When samples were asked for, by {@link System#nanoTime}. */
  long askedNanos() {
    return System.nanoTime() - start.delayNanos();
  }

  // ---- while no engine runs

  /** Nothing prevents sampling any more. */
  void clear() {
    totals.note = "";
    start.waitsFor("");
  }

  /** Reports why there are no samples: once on stderr, and in every chunk of the recording. */
  void stateObstacle(String note, String message) {
    isObstructed = true;
    totals.engine = "";
    totals.note = note;
    messages.sampling(message);
    start.waitsFor(note);
    start.need();
    write();
  }

  /** Reports in the recording why there are no more samples. */
  void stateEnd(String note) {
    totals.engine = "";
    totals.note = note;
    write();
  }

  /**
   * Reports a failure of the agent in the same way; the command that samples another process says
   * it at the recording's end.
   */
  void stateFailure(Throwable failure) {
    if (process.isOwn()) {
      messages.sampling(failure(failure));
    }
    engine = null; // it is closed by now
    notes = List.of();
    try {
      totals.engine = "";
      totals.note = failure(failure);
      write();
    } catch (Throwable e) {
      // The same failure again, such as no memory; stderr has the message.
      start.begun();
    }
  }

  private static String failure(Throwable e) {
    return "sampling ended by a failure of the agent (" + e + ")";
  }

  // ---- while an engine runs

  /** An engine takes samples. */
  void begin(SampleEngine running) {
    start.need();
    engine = running;
    EngineDescription description = running.description();
    totals.engine = description.kind().label();
    totals.note = "";
    totals.intervalNanos = description.intervalNanos();
    totals.reachedIntervalNanos = description.reachedIntervalNanos();
    if (process.isOwn() ? totals.startDelayNanos == 0 : !hasBegun && isObstructed) {
      totals.startDelayNanos = start.delayNanos();
    } else if (!process.isOwn() && !hasBegun) {
      // A recording from outside begins with its samples: nothing was missed before.
      totals.missed.forget();
    }
    hasBegun = true;
    if (description.event().isCpu()) {
      missedOwn = cpuWithin();
      begin = processCpu() - missedOwn - running.statistics().get(EngineFigure.CPU_USED);
      isMissed = true;
      missedCpu = begin + missedOwn;
    }
  }

  /** Sets why this engine was chosen, or why there is none. */
  void chosen(String reasons) {
    totals.engineReason = reasons;
  }

  /** Sets sources of notes that are read whenever something is published, until {@link #end}. */
  void noteFrom(List<Supplier<String>> sources) {
    notes = sources;
  }

  /** The engine has been drained for the last time. */
  void end() {
    publish(); // the last figures must include all that was drained
    EngineStatistics statistics = engine.statistics();
    totals.add(statistics);
    if (engine.description().event().isCpu() && !isMissed) {
      // CPU time counts as missed while another event is sampled.
      totals.missed.begin(begin + statistics.get(EngineFigure.CPU_USED) + cpuWithin(), cpuWithin());
    }
    engine = null;
    notes = List.of();
  }

  /** CPU time of this drain thread and of those before it, in ns. */
  long ownCpu() {
    return totals.earlierDrainCpuNanos + threadCpu();
  }

  /** CPU time of this drain thread, in ns. */
  long threadCpu() {
    return cpuTime == null ? 0 : cpuTime.ofThread();
  }

  /** The part of {@link #processCpu} that is {@link #ownCpu}. */
  private long cpuWithin() {
    return process.isOwn() ? ownCpu() : 0;
  }

  /** CPU time of all threads of the process, in ns. */
  long processCpu() {
    return cpuTime == null ? process.cpuNanos() : cpuTime.ofProcess();
  }

  // ---- what is said

  /** Whether a chunk ends, and waits for {@link #flushDone}. */
  boolean isFlushRequested() {
    return store != null && store.flushRequested();
  }

  /** Lets a chunk end that waits for this thread's flush. */
  void flushIfRequested() {
    if (isFlushRequested()) {
      write();
      store.flushDone();
    }
  }

  /** Publishes the figures to other threads. */
  void publish() {
    totals.drainCpuNanos = ownCpu();
    totals.missedNanos = totals.missed.total(processCpu(), cpuWithin());
    totals.storeResets = store == null ? 0 : store.fullGenerations();
    Notes all = new Notes();
    for (Supplier<String> source : notes) {
      all.add(source.get());
    }
    totals.engineNotes = all.toString();
    totals.publish(engine == null ? null : engine.statistics());
    onPublish.run();
  }

  /** Publishes the figures and writes them as a status event, if the store is open. */
  void write() {
    if (store != null) {
      endMissed();
    }
    publish();
    if (store != null) {
      if (store.status(totals.latest())) {
        totals.missed.stated(totals.missedNanos);
      }
      start.begun();
    }
  }

  /**
   * No CPU time is missed since the engine started. Called when something can be written: if the
   * recording ends before that, its samples are lost with the engine's buffers.
   */
  private void endMissed() {
    if (isMissed) {
      isMissed = false;
      totals.missed.end(missedCpu, missedOwn);
    }
  }

  @Override
  public void close() {
    start.need();
    totals.earlierDrainCpuNanos = ownCpu();
    if (cpuTime != null) {
      cpuTime.close();
      cpuTime = null;
    }
    if (store != null) {
      store.detachDrain();
    }
  }
}
