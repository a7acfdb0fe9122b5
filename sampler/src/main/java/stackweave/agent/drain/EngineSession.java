package stackweave.agent.drain;

import java.util.List;
import java.util.SplittableRandom;
import stackweave.agent.drain.limit.Throttle;
import stackweave.agent.feature.Feature;
import stackweave.agent.feature.FeatureContext;
import stackweave.agent.feature.Features;
import stackweave.engine.EngineConfig;
import stackweave.engine.KernelClock;
import stackweave.engine.SampleEngine;
import stackweave.engine.choice.EngineChoice;
import stackweave.engine.perf.PerfBudget;

/**
 * Samples from begin to end: chooses an engine, starts it, makes the decoder, and lets another
 * engine take over when that one ends. It is run again after a pause, and then continues the
 * account of the drain thread's CPU time. For the drain thread.
 *
 * <p>The engine is started first: samples can wait in its rings, and CPU time before its start is
 * missed. The decoder is made first if intervals are so short that the rings would overflow, or if
 * the process has worked for long, because then code that it unloaded earlier must be known. For
 * another process all is made first: this one has just begun and is slow, and what that unloads
 * meanwhile would be unknown in the samples that wait.
 */
final class EngineSession {
  /** From this interval on, rings have room for a second of samples or more. */
  private static final long EARLY_NANOS = 5_000_000L;

  /** A process that has used less CPU time can hardly have unloaded anything. */
  private static final long YOUNG_NANOS = 5_000_000_000L;

  /**
   * The same, and at most so much, in CPU times of this thread so far, which are about 7 ms on a
   * fast machine: on a slow one the JVM's start takes more than five seconds.
   */
  private static final long YOUNG_TIMES = 500;

  private static final long MOST_YOUNG_NANOS = 60_000_000_000L;

  private final DrainParts parts;
  private final AgentTools tools;
  private final Status status;
  private final StopSignal stop;
  private final PerfBudget budget;

  /** When what features record begins, by {@link System#nanoTime}. */
  private long sinceNanos;

  // Fields of the present run.
  private Features features;
  private Decoding decoding;
  private boolean areFeaturesOpen;

  /** Its CPU account goes on with the next engine; null before the first. */
  private Throttle throttle;

  /**
   * @param budget kernel memory for perf events of threads
   */
  EngineSession(
      DrainParts parts, AgentTools tools, Status status, StopSignal stop, PerfBudget budget) {
    this.parts = parts;
    this.tools = tools;
    this.status = status;
    this.stop = stop;
    this.budget = budget;
    this.sinceNanos = status.askedNanos();
  }

  /** Samples until the session has to end, and releases everything. */
  End run() {
    features = new Features(tools.features());
    decoding = new Decoding(parts, tools, status, stop);
    areFeaturesOpen = false;
    try {
      return sample();
    } finally {
      close();
    }
  }

  private End sample() {
    boolean isOwn = parts.machine().process().isOwn();
    if (!isOwn
        || !parts.request().event().isCpu()
        || parts.request().intervalNanos() < EARLY_NANOS) {
      decoding.lookAtProcess(false);
      decoding.open();
    }
    if (!isOwn) {
      decoding.loadTables();
    }
    while (true) {
      if (!isYoung(status.processCpu(), status.threadCpu())) {
        decoding.lookAtProcess(false);
      }
      EngineChoice choice = parts.machine().engines().start(config(), decoding, budget);
      status.chosen(choice.reasons());
      if (choice.engine().isEmpty()) {
        tools.features().forEach(Feature::pause);
        return choice.mayPass() ? End.REFUSED_FOR_NOW : End.REFUSED;
      }
      End end = sampleBy(choice.engine().get(), choice.filtered());
      if (end != End.REPLACED) {
        return end;
      }
      // No engine reports the ends of threads until the next one runs, so ids may be reused.
      status.store().newGeneration();
    }
  }

  /**
   * Whether a process has worked for so short a time that its past is not asked for.
   *
   * @param processNanos its CPU time
   * @param threadNanos of the thread that has begun to sample it, as a measure of the machine
   */
  static boolean isYoung(long processNanos, long threadNanos) {
    long slow = Math.min(MOST_YOUNG_NANOS, YOUNG_TIMES * threadNanos);
    return processNanos < Math.max(YOUNG_NANOS, slow);
  }

  private End sampleBy(SampleEngine engine, boolean isFiltered) {
    try (engine) {
      stop.waitFor(engine);
      status.begin(engine);
      parts.started().countDown();
      status.flushIfRequested();
      tools.limitCompilers();
      prepare(engine, isFiltered);
      DrainLoop loop =
          new DrainLoop(
              new DrainLoop.Run(
                  engine, decoding.process(), decoding.samples(), features, throttle, isFiltered),
              parts,
              status,
              stop,
              budget);
      End end = loop.run();
      status.end();
      return end;
    } finally {
      stop.waitFor(null);
      if (throttle != null) {
        throttle.end();
      }
      decoding.unhookThreadStarts();
    }
  }

  /** Prepares the decoding of samples that the engine takes already. */
  private void prepare(SampleEngine engine, boolean isFiltered) {
    if (throttle == null) {
      throttle =
          new Throttle(
              parts.options().drainPercent(),
              status::ownCpu,
              System::nanoTime,
              engine::backlog,
              new SplittableRandom());
    } else {
      throttle.goOnWith(engine::backlog);
    }
    decoding.lookAtProcess(true);
    if (isFiltered) {
      decoding.process().avoidFilteredCalls();
    }
    decoding.open();
    decoding.follow(engine.description(), throttle);
    KernelClock clock = new KernelClock();
    status.noteFrom(
        List.of(
            decoding::note,
            throttle::note,
            engine::note,
            clock::note,
            features::note,
            tools::compilerNote));
    if (stop.isSet()) {
      return;
    }
    decoding.loadTables();
    if (!areFeaturesOpen) {
      areFeaturesOpen = true;
      features.open(
          new FeatureContext(
              parts.request(),
              decoding.decoder(),
              decoding.samples(),
              budget,
              config(),
              sinceNanos));
    }
    if (engine.description().sendsSignals()) {
      decoding.hookThreadStarts();
    }
  }

  private EngineConfig config() {
    return EngineConfig.of(parts.request(), parts.options().memory(), parts.machine().process());
  }

  private void close() {
    try {
      features.close();
    } finally {
      decoding.close();
      if (areFeaturesOpen) {
        sinceNanos = System.nanoTime(); // features know nothing of the time until the next run
      }
    }
  }
}
