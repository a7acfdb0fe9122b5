package stackweave.agent.drain;

import java.util.List;
import java.util.SplittableRandom;
import stackweave.agent.drain.failure.FailureFiles;
import stackweave.agent.drain.failure.FailureRecorder;
import stackweave.agent.drain.feature.Feature;
import stackweave.agent.drain.feature.FeatureContext;
import stackweave.agent.drain.feature.FeatureRefusedException;
import stackweave.agent.drain.feature.Features;
import stackweave.agent.drain.limit.Throttle;
import stackweave.agent.drain.sample.Decoder;
import stackweave.agent.drain.sample.ProcessView;
import stackweave.agent.drain.sample.SamplePipeline;
import stackweave.agent.engine.EngineConfig;
import stackweave.agent.engine.KernelClock;
import stackweave.agent.engine.SampleEngine;
import stackweave.agent.engine.SignalTargets;
import stackweave.agent.engine.ThreadStacks;
import stackweave.agent.engine.ThreadStarts;
import stackweave.agent.engine.choice.EngineChoice;
import stackweave.agent.engine.choice.EngineOrder;
import stackweave.agent.engine.perf.PerfBudget;
import stackweave.agent.linux.CallPolicy;
import stackweave.agent.linux.CpuTime;
import stackweave.jfr.control.SamplingRequest;
import stackweave.maps.modules.MappedModule;

/**
 * Sampling from its begin to its end: chooses an engine, starts it, makes what decodes its samples,
 * and lets another engine take over where that one ends. For the drain thread.
 *
 * <p>An engine is started before anything else: samples can wait in its rings, and what runs before
 * it does is missed. With short intervals the rings would be full too soon, and of a process that
 * has worked for long it has to be known what was unloaded before: then what decodes samples comes
 * first.
 */
final class EngineSession implements SignalTargets, FeatureContext, AutoCloseable {
  /** How a session ended. */
  enum End {
    /** No engine could be had. */
    REFUSED,
    /** The same, for a cause that may go away by itself. */
    REFUSED_FOR_NOW,
    /** Heap, metaspace or a limit of the process leaves too little. */
    NO_ROOM,
    /** Stopped, or switched off. */
    STOPPED
  }

  /** From this interval on, rings have room for a second of samples or more. */
  private static final long EARLY_NANOS = 5_000_000L;

  /** CPU time of a process that can hardly have unloaded anything. */
  private static final long YOUNG_NANOS = 5_000_000_000L;

  private final DrainParts parts;
  private final AgentTools tools;
  private final Status status;
  private final StopSignal stop;
  private final PerfBudget budget;
  private final long sinceNanos;
  private final CpuTime cpuTime = new CpuTime();
  private final Features features;

  /** Null before it is first needed; so the two below. */
  private ProcessView process;

  private Decoder decoder;
  private SamplePipeline samples;
  private boolean areFeaturesOpen;

  /** The last engine's, whose CPU account the next one continues; null before the first. */
  private Throttle throttle;

  private ThreadStarts threadStarts = ThreadStarts.NONE;

  /** Why Thread.start is not instrumented although it would help; else empty. */
  private String hookNote = "";

  /**
   * @param budget kernel memory for perf events of threads
   * @param sinceNanos when samples were asked for, or after a pause went on, by {@link
   *     System#nanoTime}
   */
  EngineSession(
      DrainParts parts,
      AgentTools tools,
      Status status,
      StopSignal stop,
      PerfBudget budget,
      long sinceNanos) {
    this.parts = parts;
    this.tools = tools;
    this.status = status;
    this.stop = stop;
    this.budget = budget;
    this.sinceNanos = sinceNanos;
    this.features = new Features(tools.features());
  }

  /** Samples until it has to end. */
  End run() {
    if (!request().event().isCpu() || request().intervalNanos() < EARLY_NANOS) {
      lookAtProcess(false);
      openDecoder();
    }
    while (true) {
      if (status.processCpu() >= YOUNG_NANOS) {
        lookAtProcess(false);
      }
      EngineChoice choice = parts.engines().start(config(), this, budget);
      status.chosen(choice.reasons(), EngineOrder.note(choice));
      if (choice.engine().isEmpty()) {
        tools.features().forEach(Feature::pause);
        return choice.mayPass() ? End.REFUSED_FOR_NOW : End.REFUSED;
      }
      DrainLoop.End end = sampleBy(choice.engine().get(), choice.filtered());
      switch (end) {
        case STOPPED -> {
          return End.STOPPED;
        }
        case NO_ROOM -> {
          return End.NO_ROOM;
        }
        case REPLACED -> {
          // The next engine isn't told which threads end meanwhile, so their ids may be reused.
          status.store().newGeneration();
        }
      }
    }
  }

  private DrainLoop.End sampleBy(SampleEngine engine, boolean isFiltered) {
    try (engine) {
      stop.waitFor(engine);
      status.begin(engine);
      parts.started().countDown();
      status.flushIfRequested();
      tools.limitCompilers();
      prepare(engine, isFiltered);
      DrainLoop loop =
          new DrainLoop(
              new DrainLoop.Run(engine, process, samples, features, throttle, isFiltered),
              parts,
              status,
              stop,
              budget);
      DrainLoop.End end = loop.run();
      status.end();
      return end;
    } finally {
      stop.waitFor(null);
      if (throttle != null) {
        throttle.end();
      }
      threadStarts = ThreadStarts.NONE;
      tools.unhookThreadStarts();
    }
  }

  /** Does what an engine that takes samples already needs before they are decoded. */
  private void prepare(SampleEngine engine, boolean isFiltered) {
    throttle =
        throttle == null
            ? new Throttle(
                parts.settings().drainPercent(),
                cpuTime::ofThread,
                System::nanoTime,
                engine::backlog,
                new SplittableRandom())
            : new Throttle(throttle, engine::backlog);
    lookAtProcess(true);
    if (isFiltered) {
      process.avoidFilteredCalls();
    }
    openDecoder();
    status.flushIfRequested();
    // Mappings made after the process was looked at and before the engine reported them: its first
    // samples may be in them.
    process.lookAgain();
    samples.refreshModules();
    samples.follow(engine.description(), throttle);
    KernelClock clock = new KernelClock();
    status.noteFrom(
        List.of(
            process::note,
            throttle::note,
            engine::note,
            clock::note,
            () -> hookNote,
            features::note,
            tools::compilerNote));
    if (stop.isSet()) {
      return;
    }
    if (!areFeaturesOpen) {
      areFeaturesOpen = true;
      features.open(this);
      process.modules().readUnread();
    }
    for (MappedModule module : process.neededByMost()) {
      module.symbols();
      module.unwindTable();
      status.flushIfRequested();
    }
    if (engine.description().sendsSignals()) {
      hookThreadStarts();
    }
  }

  /** Looks at what is mapped, at the first call. */
  private void lookAtProcess(boolean areSamplesTaken) {
    if (process != null) {
      return;
    }
    process = ProcessView.open(parts.settings().memoryAccess(), areSamplesTaken);
    if (!process.nativeOnly().isEmpty()) {
      tools.messages().sampling(process.nativeOnly());
    }
    status.flushIfRequested(); // a rotation may have begun to wait meanwhile
  }

  private void openDecoder() {
    if (decoder != null) {
      return;
    }
    decoder =
        new Decoder(
            process,
            status.openStore(stop::wake),
            status.totals().counts,
            request().depth(),
            tools.instrumentation(),
            tools.messages());
    status.totals().decodeWith(decoder.unwinder().counters());
    FailureFiles files = tools.failureFiles();
    boolean isRecorded = files != null && process.hotSpot() != null && files.isUsable();
    FailureRecorder failures =
        isRecorded
            ? new FailureRecorder(
                files,
                process.libjvm(),
                process.memory(),
                process.rules(),
                decoder.methods(),
                request().depth())
            : null;
    samples = new SamplePipeline(decoder, failures);
  }

  /** Instruments {@code Thread.start} if permitted, for an engine that has to find threads. */
  private void hookThreadStarts() {
    hookNote = "";
    try {
      threadStarts = tools.hookThreadStarts(decoder.vmThreads());
    } catch (FeatureRefusedException e) {
      hookNote = e.getMessage();
    }
  }

  private EngineConfig config() {
    return EngineConfig.of(request(), parts.settings().memoryAccess());
  }

  // ---- what an engine is told that sends signals

  @Override
  public String heapStackLibrary() {
    lookAtProcess(false);
    return process.signalStacks().heapStackLibrary();
  }

  @Override
  public boolean signalStacksMayVanish() {
    lookAtProcess(false);
    return process.signalStacks().mayVanish();
  }

  @Override
  public ThreadStarts threadStarts() {
    return threadStarts;
  }

  @Override
  public ThreadStacks javaStacks() {
    lookAtProcess(false);
    return process.javaStacks();
  }

  // ---- what features work with

  @Override
  public SamplingRequest request() {
    return parts.request();
  }

  @Override
  public Decoder decoder() {
    return decoder;
  }

  @Override
  public SamplePipeline samples() {
    return samples;
  }

  @Override
  public PerfBudget perfBudget() {
    return budget;
  }

  @Override
  public CallPolicy callPolicy() {
    return config().callPolicy();
  }

  @Override
  public long sinceNanos() {
    return sinceNanos;
  }

  @Override
  public void close() {
    try {
      features.close();
      if (decoder != null) {
        decoder.close();
      }
    } finally {
      if (process != null) {
        process.close();
      }
      cpuTime.close();
    }
  }
}
