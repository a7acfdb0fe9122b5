package stackweave.agent.drain;

import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import stackweave.agent.attach.DrainThreadName;
import stackweave.agent.attach.SwitchPlaces;
import stackweave.agent.drain.limit.Room;
import stackweave.agent.drain.limit.Throttle;
import stackweave.agent.drain.sample.SignalStacks;
import stackweave.agent.drain.status.SamplerTotals;
import stackweave.agent.engine.EngineConfig;
import stackweave.agent.engine.EngineDescription;
import stackweave.agent.engine.EngineFigure;
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
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.ProcessCpu;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.status.SamplerFigures;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.StartWatch;
import stackweave.maps.modules.MappedModule;

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

  /** How often it is looked for room for sampling. */
  private static final long ROOM_NANOS = 50_000_000L;

  /** How often the switch file is checked while switched off. */
  private static final long SWITCH_NANOS = 1_000_000_000L;

  /** What is short for so many looks is said; before that it may be garbage. */
  private static final int LOOKS_UNTIL_SAID = 20;

  /** So often room is looked for between two looks at the switch file. */
  private static final int LOOKS_A_SWITCH = (int) (SWITCH_NANOS / ROOM_NANOS);

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

  private final Room room;

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

  /**
   * @param start since when samples are requested; told when they are taken
   * @param drainPercent how much of a core this thread may use in the long run, 1 to 100
   * @param perfMemoryBytes limit of the kernel's memory for inherited perf events
   * @param stores opens the store, or returns the open one; called once, on this thread
   * @param room for this thread only
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
      Room room,
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
    this.room = room;
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
      awaitRoom();
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
          awaitRoom();
          sampleUntilStopped();
          if (store != null) {
            // Method and module ids start again with each pipeline.
            store.newGeneration();
            store.rest();
          }
        }
      } finally {
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

  /** Waits for room for sampling, and says in every chunk of the recording what is short. */
  private void awaitRoom() {
    boolean said = false;
    Path off = null;
    for (int looks = 1; !stopping; looks++) {
      boolean mayBegin = room.mayBegin();
      if (off == null && mayBegin) {
        totals.note = "";
        start.waitsFor("");
        return;
      }
      if (looks % LOOKS_A_SWITCH == 0) {
        Path before = off;
        off = switchFile.present();
        if (off != null && !off.equals(before)) {
          saySwitchedOff(off);
          start.waitsFor(totals.note);
          said = false;
        }
      }
      if (off == null && !said && looks >= LOOKS_UNTIL_SAID) {
        said = true;
        sayNoRoom();
        start.waitsFor(totals.note);
        started.countDown();
      }
      LockSupport.parkNanos(this, ROOM_NANOS);
      clearInterrupt();
      flushStatus();
    }
  }

  private void sayNoRoom() {
    totals.engine = "";
    totals.note = SamplerFigures.NOT_SAMPLING + room.whyNot();
    messages.sampling(totals.note);
    status(null);
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
   */
  private final class Decoding implements SignalTargets, AutoCloseable {
    /** Null before it is first needed. */
    private PipelineFactory.Groundwork ground;

    /** Null before it is first needed. */
    private PipelineFactory.Pipeline pipeline;

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

    /** The pipeline, opened at the first call. */
    PipelineFactory.Pipeline pipeline() {
      if (pipeline == null) {
        if (ground == null) {
          ground(true);
        } else {
          ground.lookAgain();
        }
        openStore();
        pipeline = pipelines.open(ground, store, request.depth(), totals);
      }
      return pipeline;
    }

    @Override
    public void close() {
      try {
        if (pipeline != null) {
          pipeline.close();
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
    return sleepUntilRetry(choice.mayPass());
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
      totals.intervalNanos = description.intervalNanos();
      totals.reachedIntervalNanos = description.reachedIntervalNanos();
      long begin = description.event().isCpu() ? missedUntil(running) : 0;
      pipelines.limitCompilers();
      boolean hasRoom;
      try {
        prepare(running, filtered, decoding);
        hasRoom = drainUntilStopped(running, filtered, decoding.pipeline());
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
      return hasRoom && !stopping && switchFile.present() == null;
    } finally {
      engine = null;
      clock = null;
      throttle = null;
      if (account != null) {
        account.end();
      }
    }
  }

  /** Does what an engine that takes samples already needs before they are decoded. */
  private void prepare(SampleEngine running, boolean filtered, Decoding decoding) {
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
    PipelineFactory.Pipeline pipeline = decoding.pipeline();
    // Uses the engine choice's result: a seccomp filter may have been installed since the
    // pipeline was built.
    pipelines.applyFilter(filtered, pipeline.memory(), totals);
    // Mappings made after the pipeline looked and before the engine reported them: its first
    // samples may be in them.
    decoding.ground.lookAgain();
    pipeline.refreshModules();
    if (!stopping) {
      pipelines.observeLoads(
          pipeline.modules(), pipeline.memory(), pipeline::refreshModules, totals);
    }
    loadTables(running, pipeline);
    EngineDescription engine = running.description();
    if (!stopping && engine.sendsSignals()) {
      decoding.starts = pipelines.hookThreadStarts(pipeline, totals);
    }
    pipeline.sink().follow(engine, throttle);
    beginWaiting(pipeline);
  }

  /** Loads symbols and unwind tables of libjvm and libc, which nearly every stack needs. */
  private void loadTables(SampleEngine running, PipelineFactory.Pipeline pipeline) {
    for (MappedModule module : pipeline.modules().latest().modules()) {
      if (PipelineFactory.isLibjvm(module) || module.isLibc()) {
        module.symbols();
        module.unwindTable();
        flushStatus(running);
      }
    }
  }

  private static boolean isToBeReplaced(SampleEngine running) {
    return running.state() == EngineState.TO_BE_REPLACED;
  }

  private boolean isPartOn() {
    return wall.isOn() || blocked.isOn() || memory.isOn() || allocations.isOn();
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
   * @return false if sampling has to stop instead: stopping, switched off, or no room is left
   */
  private boolean sleepUntilRetry(boolean mayPass) {
    room.begin();
    long began = System.nanoTime();
    while (!stopping) {
      // The switch file must be checked as often as while an engine runs.
      LockSupport.parkNanos(this, SWITCH_NANOS);
      clearInterrupt();
      flushStatus();
      if (stopping || switchFile.present() != null || room.mustEnd()) {
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

  /** Drains until the engine has to end; returns false if that is for lack of room. */
  private boolean drainUntilStopped(
      SampleEngine running, boolean filtered, PipelineFactory.Pipeline pipeline) {
    status(running); // also for short recordings: the first stacks take time
    room.begin();
    Turns turns = new Turns(running, filtered, pipeline);
    boolean hasRoom = true;
    while (!stopping && !turns.mustEnd && hasRoom) {
      turns.next();
      hasRoom = !room.mustEnd();
    }
    running.stop();
    running.drain(Long.MAX_VALUE, pipeline.sink());
    if (!hasRoom) {
      sayNoRoom();
    }
    return hasRoom;
  }

  /**
   * The iterations of the drain loop, 5 to some hundred a second. In a method of its own, since a
   * loop body with so few iterations would stay interpreted for minutes.
   */
  private final class Turns {
    private final SampleEngine running;
    private final PipelineFactory.Pipeline pipeline;
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

    Turns(SampleEngine running, boolean filtered, PipelineFactory.Pipeline pipeline) {
      this.running = running;
      this.filtered = filtered;
      this.pipeline = pipeline;
    }

    /** One iteration: waits for samples, drains them, and does what is due. */
    void next() {
      boolean isFilling = false; // or a call ended the wait
      if (store.isLastFlushed()) {
        // Not in native code: the JVM's exit waits up to 0.3 s for such threads (VM_Exit in
        // vmOperations.cpp).
        LockSupport.parkNanos(this, wait * 1_000_000L);
      } else {
        isFilling = running.await(gathering ? batchWait() : wait, gathering);
      }
      clearInterrupt();
      if (!isFilling && maySamplesWait()) {
        pipelines.lookAtLoads(System.nanoTime(), totals);
      } else {
        drain();
      }
    }

    /**
     * Whether what comes by this engine may be decoded late: a library that can bear no signal must
     * be met soon, by what the loader counts or else by a sample in it.
     */
    private boolean mayEngineWait() {
      return running.state() == EngineState.SAMPLES_MAY_WAIT
          && (!running.description().sendsSignals() || pipeline.sink().isToldOfLibraries());
    }

    private int batchWait() {
      long left = (gatheringSince + BATCH_NANOS - System.nanoTime()) / 1_000_000;
      return (int) Math.max(0, left);
    }

    /** Whether what is in the rings is better drained later, with what comes until then. */
    private boolean maySamplesWait() {
      if (!gathering || batchWait() == 0) {
        return false;
      }
      pipeline.sink().lookAtLoader();
      return !stopping
          && !store.flushRequested()
          && !store.isLastFlushed()
          && !pipeline.sink().mustSendNoSignals()
          && mayEngineWait()
          && pipeline.sink().maySamplesWait();
    }

    private void drain() {
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
      throttle.settle();
      pipelines.lookAtLoads(System.nanoTime(), totals);
      if (!flush) {
        memory.pass();
        allocations.pass();
        blocked.pass();
        wall.pass();
      }
      wait = nextWait(drained);
      gathering =
          drained > 0
              && isBatchShort(cpu)
              && mayEngineWait()
              && request.event().isCpu()
              && request.intervalNanos() >= BATCH_INTERVAL_NANOS
              && !isPartOn()
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
      doDue(System.nanoTime());
    }

    /**
     * Whether a batch, with as many samples in a time as in the turn that ends now, is soon
     * decoded.
     */
    private boolean isBatchShort(long cpu) {
      long waited = Math.min(System.nanoTime() - gatheringSince, BATCH_NANOS);
      return cpu * BATCH_NANOS < BATCH_DECODING_NANOS * waited;
    }

    private int nextWait(int drained) {
      return allocations.waitMillis(
          memory.waitMillis(blocked.waitMillis(wall.waitMillis(nextWaitForSamples(drained)))));
    }

    private int nextWaitForSamples(int drained) {
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

    private void doDue(long now) {
      if (now - published > PUBLISH_NANOS) {
        published = now;
        updateAndCheck(now);
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

    private void updateAndCheck(long now) {
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
