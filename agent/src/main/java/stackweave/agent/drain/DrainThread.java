package stackweave.agent.drain;

import java.lang.ref.SoftReference;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import stackweave.agent.attach.DrainThreadName;
import stackweave.agent.attach.SwitchPlaces;
import stackweave.agent.drain.context.SampledContexts;
import stackweave.agent.drain.limit.HeapPause;
import stackweave.agent.drain.limit.HeapRest;
import stackweave.agent.drain.limit.HeapSlack;
import stackweave.agent.drain.limit.Throttle;
import stackweave.agent.drain.sample.SignalStacks;
import stackweave.agent.drain.status.SamplerTotals;
import stackweave.agent.engine.EngineConfig;
import stackweave.agent.engine.EngineDescription;
import stackweave.agent.engine.EngineFigure;
import stackweave.agent.engine.EngineSink;
import stackweave.agent.engine.EngineState;
import stackweave.agent.engine.EngineStatistics;
import stackweave.agent.engine.KernelClock;
import stackweave.agent.engine.SampleEngine;
import stackweave.agent.engine.SignalTargets;
import stackweave.agent.engine.ThreadStacks;
import stackweave.agent.engine.ThreadStarts;
import stackweave.agent.engine.choice.EngineChoice;
import stackweave.agent.engine.choice.EngineOrder;
import stackweave.agent.engine.choice.EngineSource;
import stackweave.agent.engine.perf.PerfBudget;
import stackweave.agent.jdk.Silence;
import stackweave.agent.linux.CallPolicy;
import stackweave.agent.linux.CpuTime;
import stackweave.agent.linux.NativeAccess;
import stackweave.agent.message.Messages;
import stackweave.hotspot.runtime.GarbageCollections;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.ProcessCpu;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.SamplerFigures;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.StartWatch;
import stackweave.maps.modules.MappedModule;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * The agent's one working thread, made by {@link Sampler} for a request: starts an engine, then
 * waits for samples and drains them until told to stop, and releases everything. If no engine can
 * run, it reports the reason once on stderr and then in every chunk of the recording.
 *
 * <p>It must not end the application: every Throwable ends sampling only. Methods are for this
 * thread unless they say otherwise.
 */
final class DrainThread implements Runnable {
  /**
   * How long it waits while stacks are deeper than their copy: the older part is read when the
   * sample is drained, and the longer that takes, the less likely it still belongs to the sample.
   * Costs 1.5 % of a CPU.
   */
  private static final int DEEP_MILLIS = 1;

  /** How long after a deep stack {@link #DEEP_MILLIS} applies. */
  private static final long DEEP_NANOS = 100_000_000L;

  /**
   * How long while classes are unloaded: what samples point at is gone soon, and its memory used
   * for others.
   */
  private static final int UNLOADING_MILLIS = 10;

  /**
   * How long samples wait in the rings where that does no harm: decoded many at a time they cost a
   * quarter to a third less, since between two batches the application takes the CPU's caches.
   * Longer waits gain nothing more.
   */
  private static final long BATCH_NANOS = 200_000_000L;

  /**
   * With shorter intervals they don't wait: as many come in {@link #IDLE_MILLIS}, and the rings
   * have to have room for when this thread gets no CPU.
   */
  private static final long BATCH_INTERVAL_NANOS = 5_000_000L;

  /**
   * They don't wait where that would take more CPU time: at the JVM's end there is no time for it.
   */
  private static final long BATCH_DECODING_NANOS = 20_000_000L;

  /**
   * From this interval on, engines start before there is what decodes their samples: these have
   * room in the rings for a second or more, and with shorter ones most of them would be lost.
   */
  private static final long EARLY_NANOS = 5_000_000L;

  /**
   * In a process that has used less CPU time, they start even before it is known what is mapped and
   * how much was unloaded: there hardly anything was by then.
   */
  private static final long YOUNG_NANOS = 5_000_000_000L;

  /** How long it waits when no samples come. */
  private static final int IDLE_MILLIS = 40;

  /**
   * How often mappings are read again while samples come: the kernel records no munmap. Costs 0.7
   * ms.
   */
  private static final long REFRESH_NANOS = 2_000_000_000L;

  /** As {@link #REFRESH_NANOS}, where nobody tells when libraries come and go. */
  private static final long UNTOLD_REFRESH_NANOS = 500_000_000L;

  /**
   * Pause after that in multiples of its CPU time, a fifth of a percent of a core, but for the
   * longest one: each thread has two mappings.
   */
  private static final int REFRESH_SHARE = 500;

  private static final long MAX_REFRESH_NANOS = 10_000_000_000L;

  /** How often an engine that was refused is tried again. */
  private static final long RETRY_NANOS = 10_000_000_000L;

  private static final long REPEAT_NANOS = 10_000_000_000L;

  /**
   * Interval of status events: what is missing at most if the JVM crashes, or if this thread is not
   * scheduled at the recording's end.
   */
  private static final long STATUS_NANOS = 2_000_000_000L;

  /**
   * Interval at which the figures of {@link Sampler#report} are updated and the switch file is
   * checked.
   */
  private static final long PUBLISH_NANOS = 1_000_000_000L;

  /** Longest wait while the heap may be nearly full. */
  private static final int DOUBTFUL_MILLIS = 5;

  /** How often a full heap is checked again. */
  private static final long HEAP_NANOS = 50_000_000L;

  /** How often the switch file is checked while switched off. */
  private static final long SWITCH_NANOS = 1_000_000_000L;

  /** So often the heap is looked at between two looks at the switch file. */
  private static final int HEAP_LOOKS_A_SWITCH = (int) (SWITCH_NANOS / HEAP_NANOS);

  private final SamplingRequest request;
  private final StartWatch start;
  private final int drainPercent;
  private final long perfMemoryBytes;
  private final Supplier<EventStore> stores;
  private final SamplerTotals totals;

  /** Called when new figures have been published to other threads. */
  private final Runnable onPublish;

  private final EngineSource engines;
  private final PipelineFactory pipelines;

  /** Null if samples are not to be woven. */
  private final Weaving weaving;

  private final SwitchFile switchFile;
  private final Messages messages;
  private final CountDownLatch started = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread thread;
  private volatile boolean stopping;
  private volatile SampleEngine engine;
  private KernelClock clock;
  private CpuTime cpuTime;
  private PerfBudget budget;

  /** What can't be decoded, with any engine; empty if nothing. */
  private String groundNote = "";

  private final HeapSlack slack;
  private final HeapRest rest;

  /** Null until the heap has room for it, and something is to be written. */
  private EventStore store;

  /** Whether an engine runs, and CPU time counts as missed all the same; {@link #endMissed}. */
  private boolean isMissed;

  /** CPU time of the process until the engine ran, and that of this thread, in ns. */
  private long missedCpu;

  private long missedOwn;

  /** Null while no engine runs. */
  private Throttle throttle;

  /**
   * The last engine's throttle, whose CPU account the next one continues; null before the first.
   */
  private Throttle account;

  /** Whether waiting threads were looked at before. */
  private boolean hasWaited;

  private final WaitingWatch wall = new WaitingWatch("waiting threads are not looked at");
  private final WaitingWatch blocked = new WaitingWatch("blocked threads are not timed");

  private final WaitingWatch memory = new WaitingWatch("native memory is not recorded");
  private final WaitingWatch allocations = new WaitingWatch("native allocations are not recorded");

  private final HeapPause pause = new HeapPause();

  /** Not a lambda, whose first use takes memory: it is used where that is short. */
  private final EngineSink dropped = new Dropped();

  /**
   * Whether the JVM has freed a pipeline while the heap had room: Shenandoah does so at each
   * System.gc(). The next ones are held strongly, for to begin anew again and again would cost more
   * than the memory is worth.
   */
  private boolean lostWithRoom;

  /** Of a pipeline that was lost, for the next one; else null. */
  private SampledContexts keptContexts;

  /**
   * @param start since when samples are requested; told when they are taken
   * @param drainPercent how much of a core this thread may use in the long run, 1 to 100
   * @param perfMemoryBytes limit of the kernel's memory for inherited perf events
   * @param stores opens the store, or returns the open one; called once, on this thread
   * @param heap this JVM's, except in tests
   */
  DrainThread(
      SamplingRequest request,
      StartWatch start,
      int drainPercent,
      long perfMemoryBytes,
      Supplier<EventStore> stores,
      SamplerTotals totals,
      Runnable onPublish,
      EngineSource engines,
      HeapSlack.Heap heap,
      PipelineFactory pipelines,
      Weaving weaving,
      SwitchFile switchFile,
      Messages messages) {
    this.request = request;
    this.start = start;
    this.drainPercent = drainPercent;
    this.perfMemoryBytes = perfMemoryBytes;
    this.stores = stores;
    this.totals = totals;
    this.onPublish = onPublish;
    this.engines = engines;
    this.pipelines = pipelines;
    this.slack = new HeapSlack(pipelines.laterRoom(), heap);
    this.rest = new HeapRest(slack);
    this.weaving = weaving;
    this.switchFile = switchFile;
    this.messages = messages;
    this.thread = new Thread(systemGroup(), this, DrainThreadName.NAME, 0, false);
    thread.setDaemon(true);
    thread.setContextClassLoader(null);
    thread.setUncaughtExceptionHandler(Silence.INSTANCE);
  }

  private static ThreadGroup systemGroup() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group.getParent() != null) {
      group = group.getParent();
    }
    return group;
  }

  /** The request that it serves. */
  SamplingRequest request() {
    return request;
  }

  void start() {
    thread.start();
  }

  /** Whether it has ended, also by an error. Any thread. */
  boolean hasEnded() {
    return ended.getCount() == 0;
  }

  /** Waits until an engine runs or none may; false after {@code timeoutMillis}. Any thread. */
  boolean awaitStart(long timeoutMillis) throws InterruptedException {
    return started.await(timeoutMillis, TimeUnit.MILLISECONDS);
  }

  /** Whether an engine runs, or none may. Any thread. */
  boolean hasStarted() {
    return started.getCount() == 0;
  }

  /** Ends the thread; returns when it has released everything, or after {@code timeoutMillis}. */
  boolean stop(long timeoutMillis) {
    stopping = true;
    wake();
    try {
      return ended.await(timeoutMillis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Any thread, also under JFR's monitor: neither blocks nor throws. */
  private void wake() {
    SampleEngine running = engine;
    if (running != null) {
      running.wake();
    }
    LockSupport.unpark(thread);
  }

  @Override
  public void run() {
    try {
      // Before any class that sampling needs is loaded: a loaded class stays.
      sleepWhileHeapIsFull();
      if (stopping) {
        return;
      }
      if (NativeAccess.whyNot() == null) {
        sampleWheneverSwitchedOn();
      } else {
        openStore();
        stateUntilStopped(NativeAccess.whyNot());
      }
    } catch (Throwable e) {
      // The application must not notice a failure of this thread.
      String ended = "sampling ended by a failure of the agent (" + e + ")";
      messages.sampling(ended);
      stateFailure(ended);
    } finally {
      if (store != null) {
        store.detachDrain();
      }
      started.countDown();
      ended.countDown();
    }
  }

  /** Opens it at the first call. Takes some 30 ms, so an engine is started before. */
  private void openStore() {
    if (store != null) {
      return;
    }
    try {
      store = stores.get();
      store.attachDrain(this::wake);
    } catch (Throwable e) {
      // Without a store no event can be written: the StartWatch reports it in the recording.
      start.waitsFor(
          SamplerFigures.NOT_SAMPLING + "sampling ended by a failure of the agent (" + e + ")");
      throw e;
    }
  }

  /** Reports in the recording why it has no samples. */
  private void stateFailure(String ended) {
    try {
      totals.engine = "";
      totals.note = ended;
      status(null);
    } catch (Throwable e) {
      // The same failure again, such as no memory; stderr has the message.
      start.begun();
    }
  }

  private void sampleWheneverSwitchedOn() {
    totals.startDelayNanos = 0;
    try (CpuTime cpu = new CpuTime();
        PerfBudget perfBudget = new PerfBudget(perfMemoryBytes)) {
      cpuTime = cpu;
      budget = perfBudget;
      // Where /proc could not be read when samples were requested.
      totals.missed.begin(processCpu(), ownCpu());
      try {
        while (!stopping) {
          sleepWhileSwitchedOff();
          sleepWhileHeapIsFull();
          sampleUntilStopped();
          if (store != null) {
            // Method and module ids start again with each pipeline.
            store.newGeneration();
            store.rest();
          }
        }
      } finally {
        closeKeptContexts();
        totals.earlierDrainCpuNanos += cpu.ofThread();
      }
    } finally {
      cpuTime = null;
      budget = null;
    }
  }

  /** Sleeps without holding resources, reporting it in every chunk of the recording. */
  private void sleepWhileSwitchedOff() {
    Path off = switchFile.present();
    if (off == null) {
      return;
    }
    closeKeptContexts();
    openStore();
    saySwitchedOff(off);
    while (!stopping && switchFile.present() != null) {
      LockSupport.parkNanos(this, SWITCH_NANOS);
      clearInterrupt();
      flushStatus();
    }
  }

  private void saySwitchedOff(Path off) {
    totals.engine = "";
    totals.note = SwitchPlaces.SWITCHED_OFF + off + " (remove it to go on)";
    messages.sampling("switched off by " + off + "; remove it to go on");
    started.countDown();
    status(null);
  }

  /** Sampling does not begin anew so soon: the application's label scopes have no effect. */
  private void closeKeptContexts() {
    SampledContexts kept = keptContexts;
    keptContexts = null;
    if (kept != null) {
      kept.close();
    }
  }

  /** Sleeps, holding only loaded classes, and reports it in every chunk of the recording. */
  private void sleepWhileHeapIsFull() {
    slack.begin();
    boolean said = false;
    Path off = null;
    for (int looks = 1; !stopping; looks++) {
      slack.look();
      if (off == null && slack.isAmple() && pause.isOver(System.nanoTime())) {
        totals.note = "";
        start.waitsFor("");
        return;
      }
      if (looks % HEAP_LOOKS_A_SWITCH == 0) {
        Path before = off;
        off = switchFile.present();
        if (off != null && !off.equals(before)) {
          saySwitchedOff(off);
          start.waitsFor(totals.note);
          said = false;
        }
      }
      if (off == null && !said && (slack.isKnown() || slack.isAmple())) {
        said = true;
        totals.engine = "";
        totals.note =
            SamplerFigures.NOT_SAMPLING + (slack.isAmple() ? pause.toString() : slack.whyNot());
        messages.sampling(totals.note);
        start.waitsFor(totals.note);
        started.countDown();
        status(null);
      }
      closeKeptContexts();
      LockSupport.parkNanos(this, HEAP_NANOS);
      clearInterrupt();
      flushStatus();
    }
  }

  private void sampleUntilStopped() {
    totals.note = "";
    if (stopping) {
      return;
    }
    groundNote = "";
    try (Decoding decoding = new Decoding()) {
      boolean isEarly = request.event().isCpu() && request.intervalNanos() >= EARLY_NANOS;
      if (!isEarly) {
        decoding.ground(false);
        flushStatus(); // a rotation may have begun to wait since the last sampling ended
        decoding.pipeline();
      }
      while (startEngine(decoding)) {
        // Another engine takes over with the same pipeline, which is slow to build. It isn't told
        // which threads end meanwhile, so their ids may be reused.
        store.newGeneration();
      }
    }
  }

  /**
   * The pipeline of all engines that take over from each other, opened at its first use: mostly
   * when the first of them takes samples already, which wait for it in the engine's buffers.
   *
   * <p>While this thread waits, only a soft reference leads to the pipeline, which has most of what
   * the agent has on the heap: so the JVM frees it before it lets the application run out of
   * memory, even if that fills its heap faster than anyone can look. Then sampling ends, as it does
   * when the heap is found to be full. No field but {@code held} and no local variable may hold it
   * during a wait. What records waiting, blocked threads or native memory holds most of it all the
   * time, so with these it is held whole: to lose the rest would free little. So it is with
   * collectors that lose it though there is room.
   */
  private final class Decoding implements SignalTargets, AutoCloseable {
    /** Null before it is first needed. */
    private PipelineFactory.Groundwork ground;

    private SoftReference<PipelineFactory.Pipeline> pipeline;

    /** The same where it is not to be lost; else null. */
    private PipelineFactory.Pipeline held;

    /** Of the pipeline; null if garbage collections can't be counted. */
    private GarbageCollections collections;

    /**
     * Whether the collector frees what soft references lead to where the application allocates
     * faster than it collects, though there is room: then the pipeline is held.
     */
    private boolean collectsConcurrently;

    /** What is to be closed of it, also when it is lost. */
    private PipelineFactory.Rest rest;

    private boolean keepsContexts;

    /** Null before it is first needed. */
    private SignalStacks signalStacks;

    private ThreadStarts starts = ThreadStarts.NONE;

    /**
     * What was found out of the process, at the first call.
     *
     * @param afterSamples whether samples may have been taken before
     */
    PipelineFactory.Groundwork ground(boolean afterSamples) {
      if (ground == null) {
        ground = pipelines.begin(afterSamples, totals);
        groundNote = totals.note;
      }
      return ground;
    }

    /** For an engine that is being started. */
    @Override
    public String heapStackLibrary() {
      return signalStacks().heapStackLibrary();
    }

    private SignalStacks signalStacks() {
      if (signalStacks == null) {
        signalStacks = new SignalStacks(ground(false).modules());
      }
      return signalStacks;
    }

    @Override
    public boolean signalStacksMayVanish() {
      return signalStacks().mayVanish();
    }

    @Override
    public ThreadStarts threadStarts() {
      return starts;
    }

    /** For an engine that is being started. */
    @Override
    public ThreadStacks javaStacks() {
      return ground(false).javaStacks();
    }

    /** The pipeline, opened if it never was; null if it is lost. */
    PipelineFactory.Pipeline pipeline() {
      if (pipeline != null) {
        return pipeline.get();
      }
      if (ground == null) {
        ground(true);
      } else {
        ground.lookAgain();
      }
      openStore();
      PipelineFactory.Pipeline opened =
          pipelines.open(ground, store, request.depth(), totals, keptContexts);
      keptContexts = null;
      pipeline = new SoftReference<>(opened);
      rest = opened.rest();
      collections = opened.collections();
      collectsConcurrently =
          collections != null && collections.moves() == GarbageCollections.Moves.CONCURRENTLY;
      if (collectsConcurrently) {
        slack.collectsConcurrently();
      }
      held = lostWithRoom || collectsConcurrently ? opened : null;
      return opened;
    }

    /**
     * Samples the heap's usage, with the VM's count of collections if that is known. Allocates
     * nothing, and does not touch the pipeline.
     */
    void look() {
      if (collections == null) {
        slack.look();
        return;
      }
      try {
        slack.look(collections.begun(), collections.fullBegun());
      } catch (UnreadableMemoryException e) {
        slack.look();
      }
    }

    /** From here on the JVM may free it, where nothing else holds it. */
    void letGo() {
      if (!isPartOn() && !collectsConcurrently) {
        held = null;
      }
    }

    /** Whether it was opened, even if it is lost by now. */
    boolean isOpened() {
      return pipeline != null;
    }

    /** Whether the JVM can't free it. */
    boolean isHeld() {
      return held != null;
    }

    /** Not to be lost from here on. */
    void hold(PipelineFactory.Pipeline known) {
      held = known;
    }

    /** Frees it: the next collection needs not be the last one to do so. */
    void drop() {
      held = null;
      if (pipeline != null) {
        pipeline.clear();
      }
    }

    void refreshModules() {
      PipelineFactory.Pipeline known = pipeline.get();
      if (known != null) {
        known.refreshModules();
      }
    }

    /** Whether the JVM has freed it. */
    boolean isLost() {
      return pipeline != null && pipeline.refersTo(null);
    }

    /** It is lost, and another one follows at once: the application's label scopes stay open. */
    void keepContexts() {
      keepsContexts = rest != null;
    }

    @Override
    public void close() {
      try {
        if (keepsContexts) {
          keptContexts = rest.contexts();
          rest.threads().close();
        } else if (rest != null) {
          rest.close();
        }
      } finally {
        if (ground != null) {
          ground.close();
        }
      }
    }
  }

  /**
   * Samples by one engine until it ends.
   *
   * @return whether another one is to be tried at once
   */
  private boolean startEngine(Decoding decoding) {
    if (processCpu() >= YOUNG_NANOS) {
      decoding.ground(false);
      flushStatus(); // a rotation may have begun to wait meanwhile
    }
    EngineChoice choice = engines.start(config(), decoding, budget);
    totals.engineReason = choice.reasons();
    totals.kernelNote = EngineOrder.note(choice);
    if (choice.engine().isPresent()) {
      started.countDown();
      flushStatus();
      return sampleUntilStopped(choice.engine().get(), choice.filtered(), decoding);
    }
    stateNoSamples(totals.engineReason);
    return sleepUntilRetry(decoding, choice.mayPass());
  }

  private void stateUntilStopped(String whyNot) {
    stateNoSamples(whyNot);
    while (!stopping) {
      LockSupport.parkNanos(this, RETRY_NANOS);
      clearInterrupt();
      flushStatus();
    }
  }

  /** Reports why there are no samples: once on stderr, and in every chunk of the recording. */
  private void stateNoSamples(String whyNot) {
    totals.engine = "";
    totals.engineReason = whyNot;
    totals.note = SamplerFigures.NOT_SAMPLING + whyNot;
    openStore();
    messages.sampling("no samples: " + whyNot);
    pipelines.forgetLoads(); // nobody will read the files that are held open
    started.countDown();
    status(null);
  }

  /**
   * Drains one engine until it has to end.
   *
   * @return whether another engine is to be tried at once
   */
  private boolean sampleUntilStopped(SampleEngine running, boolean filtered, Decoding decoding) {
    try (running) {
      engine = running;
      clock = new KernelClock();
      if (totals.startDelayNanos == 0) {
        totals.startDelayNanos = start.delayNanos();
      }
      EngineDescription description = running.description();
      totals.engine = description.kind().label();
      pause.begun(System.nanoTime());
      totals.intervalNanos = description.intervalNanos();
      totals.reachedIntervalNanos = description.reachedIntervalNanos();
      long begin = description.event().isCpu() ? missedUntil(running) : 0;
      pipelines.limitCompilers();
      boolean isPrepared;
      try {
        isPrepared = prepare(running, filtered, decoding);
        drainUntilStopped(running, isPrepared, filtered, decoding);
      } finally {
        wall.close();
        blocked.close();
        memory.close();
        allocations.close();
        pipelines.forgetLoads();
        pipelines.unhookThreadStarts();
        decoding.starts = ThreadStarts.NONE;
      }
      // The last published figures must include all that was drained.
      publish(running);
      EngineStatistics statistics = running.statistics();
      totals.add(statistics);
      if (description.event().isCpu() && !isMissed) {
        // CPU time that is used while an event is sampled instead is missed.
        totals.missed.begin(begin + statistics.get(EngineFigure.CPU_USED) + ownCpu(), ownCpu());
      }
      return isPrepared && !stopping && switchFile.present() == null && !isHeapFull(decoding);
    } finally {
      engine = null;
      clock = null;
      throttle = null;
      if (account != null) {
        account.end();
      }
    }
  }

  /**
   * Does what an engine that takes samples already needs before they are decoded. On a busy machine
   * it takes seconds, so it is done in steps, between which nothing but a soft reference leads to
   * the pipeline, and the heap is looked at.
   *
   * @return false if the heap has no room for the rest of it
   */
  private boolean prepare(SampleEngine running, boolean filtered, Decoding decoding) {
    totals.note = groundNote;
    totals.wallNote = "";
    totals.blockedNote = "";
    totals.touchNote = "";
    totals.allocationNote = "";
    totals.hookNote = "";
    throttle =
        account == null
            ? new Throttle(
                drainPercent,
                cpuTime::ofThread,
                System::nanoTime,
                running::backlog,
                new SplittableRandom())
            : new Throttle(account, running::backlog);
    account = throttle;
    return awaitRoom(running, decoding)
        && open(filtered, decoding)
        && loadTables(running, decoding)
        && awaitRoom(running, decoding)
        && follow(running, decoding);
  }

  /** Opens the pipeline; false if it is lost. */
  private boolean open(boolean filtered, Decoding decoding) {
    PipelineFactory.Pipeline pipeline = decoding.pipeline();
    if (pipeline == null) {
      return false;
    }
    // Uses the engine choice's result: a seccomp filter may have been installed since the
    // pipeline was built.
    pipelines.applyFilter(filtered, pipeline.memory(), totals);
    // Mappings made after the pipeline looked and before the engine reported them: its first
    // samples may be in them.
    decoding.ground.lookAgain();
    pipeline.refreshModules();
    if (!stopping) {
      pipelines.observeLoads(
          pipeline.modules(), pipeline.memory(), decoding::refreshModules, totals);
    }
    return true;
  }

  /**
   * Loads symbols and unwind tables of libjvm and libc, which nearly every stack needs; false if
   * the heap has no room.
   */
  private boolean loadTables(SampleEngine running, Decoding decoding) {
    for (MappedModule module : decoding.ground.modules().latest().modules()) {
      if (PipelineFactory.isLibjvm(module) || module.isLibc()) {
        module.symbols();
        module.unwindTable();
        flushStatus(running);
        decoding.look();
        if (isHeapFull(decoding)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Lets the pipeline take the engine's samples; false if it is lost. */
  private boolean follow(SampleEngine running, Decoding decoding) {
    PipelineFactory.Pipeline pipeline = decoding.pipeline();
    if (pipeline == null) {
      return false;
    }
    EngineDescription engine = running.description();
    if (!stopping && engine.sendsSignals()) {
      decoding.starts = pipelines.hookThreadStarts(pipeline, totals);
    }
    pipeline.sink().follow(engine, throttle, rest);
    beginWaiting(pipeline);
    if (isPartOn()) {
      decoding.hold(pipeline);
    }
    return true;
  }

  /** Rests while the heap has little room; false if that remains so. */
  private boolean awaitRoom(SampleEngine running, Decoding decoding) {
    while (!stopping) {
      flushStatus(running);
      decoding.look();
      // Before it is opened no collection is counted: looks stand for them, too many here.
      if (decoding.isOpened() && isHeapFull(decoding)) {
        return false;
      }
      if (decoding.isHeld() || isToBeReplaced(running) || !rest.putsOff(System.nanoTime())) {
        return true;
      }
      running.await(0, true);
      LockSupport.parkNanos(this, HeapRest.LOOK_NANOS);
      clearInterrupt();
    }
    return true;
  }

  private static boolean isToBeReplaced(SampleEngine running) {
    return running.state() == EngineState.TO_BE_REPLACED;
  }

  private boolean isPartOn() {
    return wall.isOn() || blocked.isOn() || memory.isOn() || allocations.isOn();
  }

  /** Counts and says that the JVM has freed the pipeline. */
  private void sayLost() {
    if (!stopping) {
      totals.counts.counters.add(Counter.TABLES_FREED, 1);
      messages.sampling(
          "sampling begins anew: a garbage collection freed the agent's tables, as collections do"
              + " where memory is short, and some at System.gc()");
    }
  }

  /** Whether sampling has to end for the application's memory. */
  private boolean isHeapFull(Decoding decoding) {
    // What other room there is takes 30 KB to find out: not while the heap is left alone.
    return (rest.isResting() ? slack.isHeapShort() : slack.isShort()) || decoding.isLost();
  }

  private void beginWaiting(PipelineFactory.Pipeline pipeline) {
    if (request.wallNanos() != 0) {
      // After a pause nothing is known of what passed before.
      long since = System.nanoTime() - (hasWaited ? 0 : start.delayNanos());
      hasWaited = true;
      wall.begin(
          () ->
              pipelines.openWall(
                  pipeline, since, request.wallNanos(), drainPercent, totals, wall::say));
    }
    if (request.memory()) {
      memory.begin(
          () ->
              pipelines.openMemory(
                  pipeline, store, totals, perfMemoryBytes, config().callPolicy(), memory::say));
    }
    if (request.allocations()) {
      allocations.begin(
          () ->
              PipelineFactory.openAllocations(
                  pipeline, store, totals, config().callPolicy(), allocations::say));
    }
    if (request.blockedNanos() != 0) {
      blocked.begin(
          () ->
              pipelines.openBlocked(
                  pipeline,
                  request.blockedNanos(),
                  drainPercent,
                  totals,
                  budget,
                  () -> config().callPolicy(),
                  blocked::say));
    }
  }

  /**
   * Ends the count of missed CPU time where the engine began to count it, a moment ago.
   *
   * @return CPU time that all other threads had used by then, in ns
   */
  private long missedUntil(SampleEngine running) {
    long own = ownCpu();
    long begin = processCpu() - own - running.statistics().get(EngineFigure.CPU_USED);
    isMissed = true;
    missedCpu = begin + own;
    missedOwn = own;
    return begin;
  }

  /**
   * No CPU time is missed since the engine runs. Said when something can be written at last: if the
   * recording ends before, its samples are lost with the engine's buffers.
   */
  private void endMissed() {
    if (isMissed) {
      isMissed = false;
      totals.missed.end(missedCpu, missedOwn);
    }
  }

  /** CPU time of all threads of the process, in ns. */
  private long processCpu() {
    return cpuTime == null ? ProcessCpu.nanos() : cpuTime.ofProcess();
  }

  /** CPU time of this drain thread and of those before it, in ns. */
  private long ownCpu() {
    return totals.earlierDrainCpuNanos + (cpuTime == null ? 0 : cpuTime.ofThread());
  }

  /**
   * Waits until an engine that was refused is to be tried again.
   *
   * @param mayPass whether a cause of refusal may go away by itself
   * @return false if sampling has to stop instead: stopping, switched off, or the heap is full
   */
  private boolean sleepUntilRetry(Decoding decoding, boolean mayPass) {
    slack.begin();
    long began = System.nanoTime();
    while (!stopping) {
      // The switch file must be checked as often as while an engine runs.
      LockSupport.parkNanos(this, SWITCH_NANOS);
      clearInterrupt();
      flushStatus();
      if (decoding.isLost()) {
        sayLost();
        decoding.keepContexts();
        return false;
      }
      decoding.look();
      if (stopping || switchFile.present() != null || slack.isShort()) {
        return false;
      }
      long now = System.nanoTime();
      if (now - began >= RETRY_NANOS) {
        began = now;
        if (mayPass || budget.isFreeAgain(now)) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Clears an interrupt by an application that interrupts all threads: an interrupted thread never
   * parks and can't read files by channels.
   */
  private static void clearInterrupt() {
    Thread.interrupted();
  }

  private void flushStatus() {
    flushStatus(null);
  }

  private void flushStatus(SampleEngine running) {
    if (store != null && store.flushRequested()) {
      totals.lookAtCalls();
      status(running);
      store.flushDone();
    }
  }

  /**
   * @param isPrepared false if the heap had no room for that
   */
  private void drainUntilStopped(
      SampleEngine running, boolean isPrepared, boolean filtered, Decoding decoding) {
    status(running); // also for short recordings: the first stacks take time
    if (isPrepared) {
      slack.begin();
      Turns turns = new Turns(running, filtered, decoding);
      while (!stopping && !turns.mustEnd && !isHeapFull(decoding)) {
        turns.next();
      }
    }
    boolean isFull = !isPrepared || isHeapFull(decoding);
    if (isFull) {
      boolean isShort = slack.isShort() || rest.isResting();
      decoding.look();
      if (isShort || !slack.isAmpleNow() || !decoding.isLost()) {
        pause.ended(System.nanoTime());
      } else {
        lostWithRoom = true;
        decoding.keepContexts();
      }
      if (decoding.isLost()) {
        sayLost();
      }
    }
    if (rest.isResting() && isFull) {
      decoding.drop(); // it decodes nothing any more, and to stop takes a while
    }
    running.stop();
    if (!isFull) {
      rest.end(System.nanoTime());
    }
    drainRest(running, isPrepared, decoding);
    if (isFull) {
      decoding.drop();
      running.drain(Long.MAX_VALUE, dropped);
      rest.end(System.nanoTime()); // what follows is no rest, and the next sampling begins without
    }
  }

  /** What the heap has room for; in a method of its own, whose end lets go of the pipeline. */
  private void drainRest(SampleEngine stopped, boolean isPrepared, Decoding decoding) {
    PipelineFactory.Pipeline pipeline = isPrepared ? decoding.pipeline() : null;
    stopped.drain(Long.MAX_VALUE, pipeline == null ? dropped : pipeline.sink());
  }

  /** Counts samples that nothing can decode any more, or nothing may. */
  private final class Dropped implements EngineSink {
    @Override
    public void sample(StackSnapshot snapshot) {
      totals.counts.counters.add(Counter.TAKEN, 1);
      totals.counts.counters.add(Counter.DROPPED, 1);
    }
  }

  /**
   * The iterations of the drain loop, 5 to some hundred a second. In a method of its own, since a
   * loop body with so few iterations would stay interpreted for minutes.
   */
  private final class Turns {
    private final SampleEngine running;
    private final Decoding decoding;
    private long refreshed = System.nanoTime();
    private long refreshCpu;
    private long repeated = refreshed;
    private long published = refreshed - PUBLISH_NANOS;
    private long stated = refreshed;
    private boolean sampled;

    /** Whether the next samples may wait in the rings, and since when they do. */
    private boolean gathering;

    private long gatheringSince;

    private int wait = 1;
    private int idleWait = 1;

    /** Whether the loop must end: switched off, or another engine is to start. */
    private boolean mustEnd;

    /** Whether a seccomp filter existed when the engine was chosen; a later one is checked for. */
    private final boolean filtered;

    Turns(SampleEngine running, boolean filtered, Decoding decoding) {
      this.running = running;
      this.filtered = filtered;
      this.decoding = decoding;
    }

    /** One iteration: waits for samples, drains them, and does what is due. */
    void next() {
      boolean isFilling = false; // or a call ended the wait
      if (rest.isResting()) {
        // Allocates nothing, nor does what is below until the heap has room.
        LockSupport.parkNanos(this, HeapRest.LOOK_NANOS);
      } else if (store.isLastFlushed()) {
        // Not in native code: the JVM's exit waits up to 0.3 s for such threads (VM_Exit in
        // vmOperations.cpp).
        LockSupport.parkNanos(this, wait * 1_000_000L);
      } else {
        isFilling = running.await(gathering ? batchWait() : wait, gathering);
      }
      clearInterrupt();
      decoding.look();
      if (slack.isDoubtful()) {
        decoding.letGo();
      }
      if (store.flushRequested() || decoding.isHeld()) {
        rest.end(System.nanoTime()); // what is held anyway is not freed by a rest
      } else if (rest.putsOff(System.nanoTime())) {
        running.await(0, true);
        mustEnd |= isToBeReplaced(running);
        return;
      }
      PipelineFactory.Pipeline pipeline = decoding.pipeline();
      if (pipeline != null && !isFilling && maySamplesWait(pipeline)) {
        pipelines.lookAtLoads(System.nanoTime(), totals);
      } else if (pipeline != null) {
        drain(pipeline);
      } else {
        flushStatus(running); // a rotation waits for it, and the loop ends now
      }
    }

    /**
     * Whether what comes by this engine may be decoded late: a library that can bear no signal must
     * be met soon, by what the loader counts or else by a sample in it.
     */
    private boolean mayEngineWait(PipelineFactory.Pipeline pipeline) {
      return running.state() == EngineState.SAMPLES_MAY_WAIT
          && (!running.description().sendsSignals() || pipeline.sink().isToldOfLibraries());
    }

    private int batchWait() {
      long left = (gatheringSince + BATCH_NANOS - System.nanoTime()) / 1_000_000;
      return (int) Math.max(0, left);
    }

    /** Whether what is in the rings is better drained later, with what comes until then. */
    private boolean maySamplesWait(PipelineFactory.Pipeline pipeline) {
      if (!gathering || batchWait() == 0) {
        return false;
      }
      pipeline.sink().lookAtLoader();
      return !stopping
          && !store.flushRequested()
          && !store.isLastFlushed()
          && !slack.isDoubtful()
          && !decoding.isHeld()
          && !pipeline.sink().mustSendNoSignals()
          && mayEngineWait(pipeline)
          && pipeline.sink().maySamplesWait();
    }

    private void drain(PipelineFactory.Pipeline pipeline) {
      boolean flush = store.flushRequested();
      if (flush) {
        totals.lookAtCalls();
        status(running); // draining may take longer than a chunk rotation waits
      }
      pipeline.sink().lookAtLoader();
      if (pipeline.sink().mustSendNoSignals()) {
        running.stop();
        mustEnd = true;
      }
      long cpuBefore = ownCpu();
      int drained = running.drain(Long.MAX_VALUE, pipeline.sink());
      long cpu = ownCpu() - cpuBefore;
      mustEnd |= isToBeReplaced(running);
      // Where each turn is left, what is due comes late, but comes.
      if (rest.mustLeave() && System.nanoTime() - published < 2 * PUBLISH_NANOS) {
        return;
      }
      throttle.settle();
      pipelines.lookAtLoads(System.nanoTime(), totals);
      if (!flush) {
        memory.pass();
        allocations.pass();
        blocked.pass();
        wall.pass();
      }
      wait = nextWait(drained, pipeline);
      // Where it is held the heap is looked at more often, and other things are recorded.
      gathering =
          drained > 0
              && isBatchShort(cpu)
              && mayEngineWait(pipeline)
              && !slack.isDoubtful()
              && request.event().isCpu()
              && request.intervalNanos() >= BATCH_INTERVAL_NANOS
              && !decoding.isHeld()
              && pipeline.sink().maySamplesWait();
      gatheringSince = System.nanoTime();
      if (flush) {
        memory.flush();
        allocations.flush();
        blocked.flush();
        wall.flush();
        if (drained > 0 || isPartOn()) {
          status(running);
        }
        store.flushDone();
      }
      sampled |= drained > 0;
      doDue(System.nanoTime(), pipeline);
    }

    /**
     * Whether a batch, with as many samples in a time as in the turn that ends now, is soon
     * decoded.
     */
    private boolean isBatchShort(long cpu) {
      long waited = Math.min(System.nanoTime() - gatheringSince, BATCH_NANOS);
      return cpu * BATCH_NANOS < BATCH_DECODING_NANOS * waited;
    }

    private int nextWait(int drained, PipelineFactory.Pipeline pipeline) {
      return allocations.waitMillis(
          memory.waitMillis(
              blocked.waitMillis(wall.waitMillis(nextWaitForSamples(drained, pipeline)))));
    }

    private int nextWaitForSamples(int drained, PipelineFactory.Pipeline pipeline) {
      if (slack.isDoubtful()) {
        return Math.min(wait, DOUBTFUL_MILLIS);
      }
      if (System.nanoTime() - pipeline.sink().deepNanos() < DEEP_NANOS) {
        return DEEP_MILLIS;
      }
      if (drained == 0) {
        idleWait = Math.min(2 * idleWait, IDLE_MILLIS);
        return idleWait;
      }
      idleWait = 1;
      boolean unloading = pipeline.sink().isUnloadingExpected();
      return unloading ? UNLOADING_MILLIS : IDLE_MILLIS;
    }

    private void doDue(long now, PipelineFactory.Pipeline pipeline) {
      if (now - published > PUBLISH_NANOS) {
        published = now;
        updateAndCheck(now, pipeline);
      }
      boolean told = pipeline.sink().isToldOfLibraries();
      long pause = Math.min(MAX_REFRESH_NANOS, REFRESH_SHARE * refreshCpu);
      if (sampled
          && now - refreshed > Math.max(pause, told ? REFRESH_NANOS : UNTOLD_REFRESH_NANOS)) {
        sampled = false;
        refreshed = now;
        long before = ownCpu();
        pipeline.refreshModules();
        refreshCpu = ownCpu() - before;
      }
      if (request.inMemory() && now - repeated > REPEAT_NANOS) {
        repeated = now;
        store.repeatDefinitions();
        status(running);
      }
    }

    private void updateAndCheck(long now, PipelineFactory.Pipeline pipeline) {
      store.flush();
      if (now - stated > STATUS_NANOS) {
        stated = now;
        status(running);
      } else {
        publish(running);
      }
      mustEnd |= switchFile.present() != null || budget.isFreeAgain(now);
      // That it can't be told now says nothing new of a thread that was under none.
      if (!filtered && CallPolicy.filter() == CallPolicy.Filter.FILTERED) {
        pipelines.applyFilter(true, pipeline.memory(), totals);
        mustEnd = true;
      }
      PipelineFactory.noteMemory(pipeline.memory(), totals);
    }
  }

  private void publish(SampleEngine running) {
    totals.drainCpuNanos = ownCpu();
    totals.missedNanos = totals.missed.total(processCpu(), totals.drainCpuNanos);
    if (weaving != null && store != null) {
      totals.unwoven = store.unwoven();
      totals.weaveNote = weaving.note(store);
    }
    totals.storeResets = store == null ? 0 : store.fullGenerations();
    totals.engineNote = running == null ? "" : running.note();
    totals.clockNote = clock == null ? "" : clock.note();
    totals.throttleNote = throttle == null ? "" : throttle.note();
    totals.wallNote = wall.note();
    totals.blockedNote = blocked.note();
    totals.touchNote = memory.note();
    totals.allocationNote = allocations.note();
    totals.counts.counters.add(Counter.HEAP_REST, rest.takeNanos());
    pipelines.noteCompilers(totals);
    totals.publish(running == null ? null : running.statistics());
    onPublish.run();
  }

  /**
   * Publishes the figures and writes them as a status event.
   *
   * @param running the engine, or null
   */
  private void status(SampleEngine running) {
    if (store != null) {
      endMissed();
    }
    publish(running);
    if (store != null) {
      if (store.status(totals.latest())) {
        totals.missed.stated(totals.missedNanos);
      }
      start.begun();
    }
  }

  private EngineConfig config() {
    EngineKind preferred = null;
    for (EngineKind kind : EngineKind.values()) {
      if (kind.label().equals(request.engine())) {
        preferred = kind;
      }
    }
    return new EngineConfig(
        request.intervalNanos(),
        EngineConfig.MAX_STACK_BYTES,
        preferred,
        pipelines.memoryAccess(),
        request.event());
  }
}
