package stackweave.agent.drain;

import stackweave.agent.decode.ProcessView;
import stackweave.agent.decode.SamplePipeline;
import stackweave.agent.drain.limit.Throttle;
import stackweave.agent.feature.Features;
import stackweave.engine.EngineState;
import stackweave.engine.SampleEngine;
import stackweave.engine.perf.PerfBudget;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.store.EventStore;
import stackweave.linux.CallPolicy;

/**
 * Drains one engine, from 5 to some hundred times a second: waits for samples, has them decoded,
 * and does periodic work. For the drain thread.
 */
final class DrainLoop {
  /** An engine, and what it is drained with. */
  record Run(
      SampleEngine engine,
      ProcessView process,
      SamplePipeline samples,
      Features features,
      Throttle throttle,
      boolean isFiltered) {}

  /**
   * Wait in ms while stacks are deeper than their copy: the older part is read when the sample is
   * drained, and should still be the same. Costs 1.5 % of a CPU.
   */
  private static final int DEEP_MILLIS = 1;

  /** How long that lasts after a deep stack. */
  private static final long DEEP_NANOS = 100_000_000L;

  /** Wait in ms while classes are unloaded: what samples point at is gone soon. */
  private static final int UNLOADING_MILLIS = 10;

  /**
   * Wait in ms for samples of another process, which pays nothing for it. What they name, and its
   * memory, are gone from there sooner than here, because the process does not wait at its end.
   */
  private static final int OUTSIDE_MILLIS = 20;

  /** Wait in ms in other cases. */
  private static final int IDLE_MILLIS = 40;

  /** How long samples gather in the rings if that does no harm: decoding costs a third less. */
  private static final long BATCH_NANOS = 200_000_000L;

  /** With shorter intervals samples do not gather, because the rings need room. */
  private static final long BATCH_INTERVAL_NANOS = 5_000_000L;

  /**
   * Samples whose decoding takes longer do not gather: there is no time for it at the JVM's end.
   */
  private static final long BATCH_DECODING_NANOS = 20_000_000L;

  /** How often mappings are read again while samples come: the kernel does not record munmap. */
  private static final long REFRESH_NANOS = 2_000_000_000L;

  /** The same if loads of libraries are not reported. */
  private static final long UNTOLD_REFRESH_NANOS = 500_000_000L;

  /** The pause after reading them, in multiples of its CPU time, up to the longest pause. */
  private static final int REFRESH_SHARE = 500;

  private static final long MAX_REFRESH_NANOS = 10_000_000_000L;

  /** How often definitions that a recording in memory may have lost are written again. */
  private static final long REPEAT_NANOS = 10_000_000_000L;

  /** Interval of status events. */
  private static final long STATUS_NANOS = 2_000_000_000L;

  /** How often figures are published and the switch file is looked for. */
  private static final long PUBLISH_NANOS = 1_000_000_000L;

  private final SampleEngine engine;
  private final Run run;
  private final SamplePipeline samples;
  private final DrainParts parts;
  private final SamplingRequest request;
  private final Status status;
  private final EventStore store;
  private final StopSignal stop;
  private final PerfBudget budget;
  private long refreshed = System.nanoTime();
  private long refreshCpu;
  private long repeated = refreshed;
  private long published = refreshed - PUBLISH_NANOS;
  private long stated = refreshed;

  /** Whether there were samples since the mappings were read. */
  private boolean sampled;

  /** Whether the next samples may wait in the rings, and since when they do. */
  private boolean gathering;

  private long gatheringSince;
  private int wait = 1;
  private int idleWait = 1;

  /** Whether another engine is to take over, or sampling is switched off. */
  private boolean mustEnd;

  /** Whether the sampled process has ended, or executes another program. */
  private boolean isGone;

  DrainLoop(Run run, DrainParts parts, Status status, StopSignal stop, PerfBudget budget) {
    this.run = run;
    this.engine = run.engine();
    this.samples = run.samples();
    this.parts = parts;
    this.request = parts.request();
    this.status = status;
    this.store = status.store();
    this.stop = stop;
    this.budget = budget;
  }

  /** Drains until the engine has to end, and then the rest in its rings. */
  End run() {
    status.write(); // so that short recordings have one: the first stacks take time
    parts.room().begin();
    boolean hasRoom = true;
    while (!stop.isSet() && !mustEnd && hasRoom && !isGone) {
      next();
      hasRoom = !parts.room().mustEnd();
    }
    engine.stop();
    isGone |= isProgramGone();
    if (isGone) {
      samples.discard();
    }
    engine.drain(Long.MAX_VALUE, samples);
    if (isGone) {
      return End.GONE;
    }
    if (!hasRoom) {
      return End.NO_ROOM;
    }
    boolean isOff = stop.isSet() || parts.switchFile().present() != null;
    return isOff ? End.STOPPED : End.REPLACED;
  }

  /** A method of its own, because a loop body with so few iterations would stay interpreted. */
  private void next() {
    boolean isFilling = await();
    if (!isFilling && maySamplesWait()) {
      run.features().pass();
    } else {
      drain();
    }
  }

  /** Waits; returns whether a ring fills up although its samples may wait. */
  private boolean await() {
    boolean isFilling = false;
    if (store.isLastFlushed()) {
      // Not in native code: the JVM's exit waits up to 0.3 s for such threads (VM_Exit in
      // vmOperations.cpp).
      stop.park(wait * 1_000_000L);
    } else {
      isFilling = engine.await(gathering ? batchWait() : wait, gathering);
    }
    StopSignal.clearInterrupt();
    return isFilling;
  }

  private void drain() {
    boolean isFlush = status.isFlushRequested();
    if (isFlush) {
      status.write(); // draining may take longer than a chunk rotation waits
    }
    samples.lookAtLoader();
    if (samples.mustSendNoSignals()) {
      engine.stop();
      mustEnd = true;
    }
    long cpuBefore = status.ownCpu();
    int drained = drainEngine();
    long cpu = status.ownCpu() - cpuBefore;
    mustEnd |= engine.state() == EngineState.TO_BE_REPLACED;
    run.throttle().settle();
    if (isFlush) {
      run.features().flush();
      status.write();
      store.flushDone();
    } else {
      run.features().pass();
    }
    wait = nextWait(drained);
    gathering = drained > 0 && isBatchShort(cpu) && mayGather();
    gatheringSince = System.nanoTime();
    sampled |= drained > 0;
    doDue(gatheringSince);
  }

  /**
   * Drains what the engine has. Of another process only what was sampled before it was found to be
   * the same: the samples of a program that it runs instead would be given the old one's names.
   */
  private int drainEngine() {
    if (isOwn()) {
      return engine.drain(Long.MAX_VALUE, samples);
    }
    long now = System.nanoTime();
    isGone = isProgramGone();
    return isGone ? 0 : engine.drain(now, samples);
  }

  private boolean isOwn() {
    return parts.machine().process().isOwn();
  }

  private boolean isProgramGone() {
    return run.process().memory().isGone() || !parts.machine().process().isSameProgram();
  }

  // ---- how long samples wait

  private int nextWait(int drained) {
    if (drained > 0) {
      idleWait = 1;
    } else {
      idleWait = Math.min(2 * idleWait, IDLE_MILLIS);
    }
    int most;
    if (System.nanoTime() - samples.deepNanos() < DEEP_NANOS) {
      most = DEEP_MILLIS;
    } else if (drained == 0) {
      most = idleWait;
    } else {
      int usual = isOwn() ? IDLE_MILLIS : OUTSIDE_MILLIS;
      most = samples.isUnloadingExpected() ? UNLOADING_MILLIS : usual;
    }
    return run.features().waitMillis(most);
  }

  private int batchWait() {
    return (int) Math.max(0, (gatheringSince + BATCH_NANOS - System.nanoTime()) / 1_000_000);
  }

  /** Whether decoding is short for a batch with as many samples per second as just now. */
  private boolean isBatchShort(long cpu) {
    long waited = Math.min(System.nanoTime() - gatheringSince, BATCH_NANOS);
    return cpu * BATCH_NANOS < BATCH_DECODING_NANOS * waited;
  }

  /** Whether samples may gather from now on. */
  private boolean mayGather() {
    return isOwn()
        && request.event().isCpu()
        && request.intervalNanos() >= BATCH_INTERVAL_NANOS
        && run.features().waitMillis(Integer.MAX_VALUE) > BATCH_NANOS / 1_000_000
        && mayEngineWait()
        && samples.maySamplesWait();
  }

  /** Whether the samples in the rings should be drained later, with further ones. */
  private boolean maySamplesWait() {
    if (!gathering || batchWait() == 0) {
      return false;
    }
    samples.lookAtLoader();
    return !stop.isSet()
        && !store.flushRequested()
        && !store.isLastFlushed()
        && !samples.mustSendNoSignals()
        && mayEngineWait()
        && samples.maySamplesWait();
  }

  /**
   * Whether this engine's samples may be decoded late. An engine with signals must soon notice a
   * library that signals would harm, by the loader's counters or else by a sample in it.
   */
  private boolean mayEngineWait() {
    return engine.state() == EngineState.SAMPLES_MAY_WAIT
        && (!engine.description().sendsSignals() || samples.isToldOfLibraries());
  }

  // ---- what is due now and then

  private void doDue(long now) {
    if (now - published > PUBLISH_NANOS) {
      published = now;
      publish(now);
      look(now);
    }
    long pause = Math.min(MAX_REFRESH_NANOS, REFRESH_SHARE * refreshCpu);
    long least = samples.isToldOfLibraries() ? REFRESH_NANOS : UNTOLD_REFRESH_NANOS;
    if (sampled && now - refreshed > Math.max(pause, least)) {
      sampled = false;
      refreshed = now;
      long before = status.ownCpu();
      samples.refreshModules();
      refreshCpu = status.ownCpu() - before;
    }
    if (request.inMemory() && now - repeated > REPEAT_NANOS) {
      repeated = now;
      store.repeatDefinitions();
      status.write();
    }
  }

  private void publish(long now) {
    store.flush();
    if (now - stated > STATUS_NANOS) {
      stated = now;
      status.write();
    } else {
      status.publish();
    }
  }

  /** Checks whether this engine has to end. */
  private void look(long now) {
    mustEnd |= parts.switchFile().present() != null || budget.isFreeAgain(now);
    // Only a certain answer counts, for a thread that had no filter before.
    if (!run.isFiltered() && CallPolicy.filter() == CallPolicy.Filter.FILTERED) {
      run.process().avoidFilteredCalls();
      mustEnd = true;
    }
  }
}
