package stackweave.agent.drain;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import stackweave.agent.attach.DrainThreadName;
import stackweave.agent.drain.limit.HeapPause;
import stackweave.agent.drain.limit.HeapSlack;
import stackweave.agent.drain.limit.Throttle;
import stackweave.agent.drain.status.SamplerTotals;
import stackweave.agent.engine.EngineConfig;
import stackweave.agent.engine.EngineStatistics;
import stackweave.agent.engine.SampleEngine;
import stackweave.agent.engine.choice.EngineChoice;
import stackweave.agent.engine.choice.EngineOrder;
import stackweave.agent.engine.choice.EngineSource;
import stackweave.agent.engine.perf.PerfBudget;
import stackweave.agent.linux.CallPolicy;
import stackweave.agent.linux.CpuTime;
import stackweave.agent.linux.NativeAccess;
import stackweave.agent.message.Messages;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.ProcessCpu;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.StartWatch;

/**
 * The drain thread: starts the engine, then waits and drains until told to stop; releases all it
 * took.
 *
 * <p>Where no engine may run, it says so once on stderr and stays, asleep, to state the reason in
 * every chunk of the recording.
 */
final class DrainThread implements Runnable {
  /**
   * How long while stacks are deeper than their copy: the rest is read when the sample is drained,
   * and is the less likely to be the sample's the longer that takes. Costs 1.5 % of a CPU.
   */
  private static final int DEEP_MILLIS = 1;

  /** For so long after a deep stack the next one is waited for. */
  private static final long DEEP_NANOS = 100_000_000L;

  /** How long it waits when nothing comes. */
  private static final int IDLE_MILLIS = 40;

  /**
   * How soon an unmapped library is noticed while samples come: the kernel records no munmap. Costs
   * 0.7 ms.
   */
  private static final long REFRESH_NANOS = 2_000_000_000L;

  /** The same where the engine does not report mappings either. */
  private static final long UNREPORTED_REFRESH_NANOS = 500_000_000L;

  /** How soon it is noticed that an engine that was refused may run. */
  private static final long RETRY_NANOS = 10_000_000_000L;

  private static final long REPEAT_NANOS = 10_000_000_000L;

  /**
   * How old what a recording says of losses is at most when the JVM crashes, or when this thread is
   * not let run at the recording's end.
   */
  private static final long STATUS_NANOS = 2_000_000_000L;

  /** How old the figures of {@link Sampler#report} may be, and how soon the switch file counts. */
  private static final long PUBLISH_NANOS = 1_000_000_000L;

  /** How soon the heap is looked at again when it may be full. */
  private static final int DOUBTFUL_MILLIS = 5;

  /** How soon it is noticed that it has room again. */
  private static final long HEAP_NANOS = 50_000_000L;

  /** How soon the switch file is noticed to be gone. */
  private static final long SWITCH_NANOS = 1_000_000_000L;

  private final SamplingRequest request;
  private final StartWatch start;
  private final int drainPercent;
  private final long perfMemoryBytes;
  private final Supplier<EventStore> stores;
  private final SamplerTotals totals;

  /** Told when new figures are there for other threads. */
  private final Runnable onPublish;

  private final EngineSource engines;
  private final PipelineFactory pipelines;
  private final SwitchFile switchFile;
  private final Messages messages;
  private final CountDownLatch started = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread thread;
  private volatile boolean stopping;
  private volatile SampleEngine engine;
  private CpuTime cpuTime;
  private PerfBudget budget;

  /** What the pipeline lacks, whatever the engine; "" if nothing. */
  private String pipelineNote = "";

  private final HeapSlack slack = new HeapSlack();

  /** Null until the heap has room for it. */
  private EventStore store;

  /** Null while no engine runs. */
  private Throttle throttle;

  /** That of the engine that ran last, whose account the next goes on with; null before any. */
  private Throttle account;

  private final HeapPause pause = new HeapPause();

  /**
   * @param start since when samples are asked for; told when they are taken
   * @param drainPercent how much of a core this thread may use in the long run
   * @param perfMemoryBytes of the kernel's memory that perf may take for inherited events
   * @param stores opens the store, or gives the one that is open; called once, on this thread
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
      PipelineFactory pipelines,
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
    this.switchFile = switchFile;
    this.messages = messages;
    this.thread = new Thread(systemGroup(), this, DrainThreadName.NAME, 0, false);
    thread.setDaemon(true);
    thread.setContextClassLoader(null);
  }

  private static ThreadGroup systemGroup() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group.getParent() != null) {
      group = group.getParent();
    }
    return group;
  }

  /** What it samples for. */
  SamplingRequest request() {
    return request;
  }

  void start() {
    thread.start();
  }

  /** Whether it is over, be it by an error. */
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
      // Before anything is loaded that sampling needs: what is loaded stays.
      sleepWhileHeapIsFull();
      if (stopping) {
        return;
      }
      store = openStore();
      store.attachDrain(this::wake);
      if (NativeAccess.whyNot() == null) {
        sampleWheneverSwitchedOn();
      } else {
        stateUntilStopped(NativeAccess.whyNot());
      }
    } catch (Throwable e) {
      // Whatever it is, it is ours to bear: the application knows nothing of this thread.
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

  private EventStore openStore() {
    try {
      return stores.get();
    } catch (Throwable e) {
      // Without a store there is no event of ours: the watch says it in the recording.
      start.waitsFor("not sampling: sampling ended by a failure of the agent (" + e + ")");
      throw e;
    }
  }

  /** A recording without samples says why. */
  private void stateFailure(String ended) {
    try {
      totals.engine = "";
      totals.note = ended;
      status(null);
    } catch (Throwable e) {
      // The same failure again, such as no memory: the message has said it.
      start.begun();
    }
  }

  private void sampleWheneverSwitchedOn() {
    totals.startDelayNanos = 0;
    try (CpuTime cpu = new CpuTime();
        PerfBudget perfBudget = new PerfBudget(perfMemoryBytes)) {
      cpuTime = cpu;
      budget = perfBudget;
      // Where /proc could not tell it when samples were asked for.
      totals.missed.begin(processCpu(), ownCpu());
      try {
        while (!stopping) {
          sleepWhileSwitchedOff();
          sleepWhileHeapIsFull();
          sampleUntilStopped();
          // Ids of the HotSpot methods and modules begin anew with each pipeline.
          store.newGeneration();
        }
      } finally {
        totals.earlierDrainCpuNanos += cpu.ofThread();
      }
    } finally {
      cpuTime = null;
      budget = null;
    }
  }

  /** Holds nothing meanwhile; says so in every chunk of the recording. */
  private void sleepWhileSwitchedOff() {
    Path off = switchFile.present();
    if (off == null) {
      return;
    }
    totals.engine = "";
    totals.note = "not sampling: switched off by " + off + " (remove it to go on)";
    messages.sampling("switched off by " + off + "; remove it to go on");
    started.countDown();
    status(null);
    while (!stopping && switchFile.present() != null) {
      LockSupport.parkNanos(this, SWITCH_NANOS);
      forgetInterrupt();
      flushStatus();
    }
  }

  /** Holds nothing meanwhile but what is loaded; says so in every chunk of the recording. */
  private void sleepWhileHeapIsFull() {
    slack.begin();
    boolean said = false;
    while (!stopping) {
      slack.look();
      if (slack.isAmple() && pause.isOver(System.nanoTime())) {
        totals.note = "";
        start.waitsFor("");
        return;
      }
      if (!said && (slack.isKnown() || slack.isAmple())) {
        said = true;
        totals.engine = "";
        totals.note = "not sampling: " + (slack.isAmple() ? pause.toString() : slack.whyNot());
        messages.sampling(totals.note);
        start.waitsFor(totals.note);
        started.countDown();
        status(null);
      }
      LockSupport.parkNanos(this, HEAP_NANOS);
      forgetInterrupt();
      flushStatus();
    }
  }

  /** The pipeline first: while it is put together, a running engine's rings would overflow. */
  private void sampleUntilStopped() {
    totals.note = "";
    if (stopping) {
      return;
    }
    try (PipelineFactory.Pipeline pipeline = pipelines.open(store, request.depth(), totals)) {
      pipelineNote = totals.note;
      while (startEngine(pipeline)) {
        // Another engine has to take over: with the same pipeline, which is long to put together.
        // It is not told which threads end meanwhile, and their ids may be used again.
        store.newGeneration();
      }
    }
  }

  /**
   * Samples by one engine until it ends.
   *
   * @return whether another one is to be tried at once
   */
  private boolean startEngine(PipelineFactory.Pipeline pipeline) {
    EngineChoice choice = engines.start(config(), pipeline.javaStacks(), budget);
    // By the same look as the engine's: a filter may have come since the pipeline was put together.
    pipelines.obey(choice.filtered(), pipeline.memory(), totals);
    totals.engineReason = choice.reasons();
    totals.kernelNote = EngineOrder.note(choice);
    if (choice.engine().isPresent()) {
      started.countDown();
      return sampleUntilStopped(choice.engine().get(), choice.filtered(), pipeline);
    }
    stateNoSamples(totals.engineReason);
    return sleepUntilRetry(pipeline, choice.mayPass());
  }

  private void stateUntilStopped(String whyNot) {
    stateNoSamples(whyNot);
    while (!stopping) {
      LockSupport.parkNanos(this, RETRY_NANOS);
      forgetInterrupt();
      flushStatus();
    }
  }

  /** No samples: why, is said once on stderr, and in every chunk of the recording. */
  private void stateNoSamples(String whyNot) {
    totals.engine = "";
    totals.engineReason = whyNot;
    totals.note = "not sampling: " + whyNot;
    messages.sampling("no samples: " + whyNot);
    started.countDown();
    status(null);
  }

  /** Returns whether another engine has to be tried at once. */
  private boolean sampleUntilStopped(
      SampleEngine running, boolean filtered, PipelineFactory.Pipeline pipeline) {
    try (running) {
      engine = running;
      totals.note = pipelineNote;
      if (totals.startDelayNanos == 0) {
        totals.startDelayNanos = start.delayNanos();
      }
      totals.engine = running.kind().label();
      pause.begun(System.nanoTime());
      totals.intervalNanos = running.intervalNanos();
      totals.reachedIntervalNanos = running.reachedIntervalNanos();
      long begin = missedUntil(running);
      // What was mapped before the engine told of mappings, and after the pipeline looked.
      pipeline.refreshModules();
      pipelines.hookThreadStarts(running, pipeline, totals);
      try {
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
        pipeline.sink().follow(running, throttle);
        drainUntilStopped(running, filtered, pipeline);
      } finally {
        pipelines.unhookThreadStarts(pipeline);
      }
      // What other threads see ends with all that was drained.
      publish(running);
      EngineStatistics statistics = running.statistics();
      totals.add(statistics);
      totals.missed.begin(begin + statistics.cpuUsedNanos() + ownCpu(), ownCpu());
      return !stopping && switchFile.present() == null && !slack.isShort();
    } finally {
      engine = null;
      throttle = null;
      if (account != null) {
        account.end();
      }
    }
  }

  /**
   * CPU time is missed no more from where the engine began to count it, which is a moment ago.
   *
   * @return what all other threads had used by then
   */
  private long missedUntil(SampleEngine running) {
    long own = ownCpu();
    long begin = processCpu() - own - running.statistics().cpuUsedNanos();
    totals.missed.end(begin + own, own);
    return begin;
  }

  /** Of all threads of the process. */
  private long processCpu() {
    return cpuTime == null ? ProcessCpu.nanos() : cpuTime.ofProcess();
  }

  /** Of this thread, and of those that drained before it. */
  private long ownCpu() {
    return totals.earlierDrainCpuNanos + (cpuTime == null ? 0 : cpuTime.ofThread());
  }

  /**
   * Waits until an engine that was refused is to be tried again.
   *
   * @param mayPass whether what an engine was refused for may pass by itself
   * @return false if sampling has to end before, or no engine may begin: it is stopped, switched
   *     off, or the heap is full
   */
  private boolean sleepUntilRetry(PipelineFactory.Pipeline pipeline, boolean mayPass) {
    slack.begin();
    long began = System.nanoTime();
    while (!stopping) {
      // As often as the figures are published while an engine runs: the switch file counts as soon.
      LockSupport.parkNanos(this, SWITCH_NANOS);
      forgetInterrupt();
      flushStatus();
      pipeline.look(slack);
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
   * Applications that interrupt all threads mean others: an interrupted thread is never parked, and
   * can't read files.
   */
  private static void forgetInterrupt() {
    Thread.interrupted();
  }

  private void flushStatus() {
    if (store != null && store.flushRequested()) {
      status(null);
      store.flushDone();
    }
  }

  private void drainUntilStopped(
      SampleEngine running, boolean filtered, PipelineFactory.Pipeline pipeline) {
    Turns turns = new Turns(running, filtered, pipeline);
    status(running); // short recordings want one, too, and the first stacks take their time
    slack.begin();
    while (!stopping && !turns.elsewhere && !slack.isShort()) {
      turns.next();
    }
    if (slack.isShort()) {
      pause.ended(System.nanoTime());
    }
    running.stop();
    running.drain(Long.MAX_VALUE, pipeline.sink());
  }

  /**
   * The loop's turns while an engine runs, some hundred a second. A method and not a loop's body,
   * for loops of so few turns are interpreted for minutes.
   */
  private final class Turns {
    private final SampleEngine running;
    private final PipelineFactory.Pipeline pipeline;
    private final long refreshNanos;
    private long refreshed = System.nanoTime();
    private long repeated = refreshed;
    private long published = refreshed - PUBLISH_NANOS;
    private long stated = refreshed;
    private boolean sampled;
    private int wait = 1;

    /** Whether it is switched off, or the engine has to begin again. */
    private boolean elsewhere;

    /**
     * Whether a seccomp filter was there when the engine was chosen: one that comes later counts,
     * too.
     */
    private final boolean filtered;

    Turns(SampleEngine running, boolean filtered, PipelineFactory.Pipeline pipeline) {
      this.running = running;
      this.filtered = filtered;
      this.pipeline = pipeline;
      this.refreshNanos = running.reportsMappings() ? REFRESH_NANOS : UNREPORTED_REFRESH_NANOS;
    }

    /** Waits for samples, and does what is due. */
    void next() {
      if (store.isLastFlushed()) {
        // The JVM's exit waits for threads in native code, for 0.3 s (VM_Exit in vmOperations.cpp).
        LockSupport.parkNanos(this, wait * 1_000_000L);
      } else {
        running.await(wait);
      }
      forgetInterrupt();
      pipeline.look(slack);
      boolean flush = store.flushRequested();
      if (flush) {
        status(running); // what is still to be drained may take longer than a rotation waits
      }
      int drained = running.drain(Long.MAX_VALUE, pipeline.sink());
      elsewhere |= running.hasEnded();
      throttle.settle();
      wait = nextWait(drained);
      if (flush) {
        if (drained > 0) {
          status(running);
        }
        store.flushDone();
      }
      sampled |= drained > 0;
      now(System.nanoTime());
    }

    private int nextWait(int drained) {
      if (slack.isDoubtful()) {
        return Math.min(wait, DOUBTFUL_MILLIS);
      }
      if (System.nanoTime() - pipeline.sink().deepNanos() < DEEP_NANOS) {
        return DEEP_MILLIS;
      }
      return drained > 0 ? running.busyMillis() : Math.min(2 * wait, IDLE_MILLIS);
    }

    private void now(long now) {
      if (now - published > PUBLISH_NANOS) {
        published = now;
        tell(now);
      }
      if (sampled && now - refreshed > refreshNanos) {
        sampled = false;
        refreshed = now;
        pipeline.refreshModules();
        elsewhere |= running.isOutgrown();
      }
      if (request.inMemory() && now - repeated > REPEAT_NANOS) {
        repeated = now;
        store.repeatDefinitions();
        status(running);
      }
    }

    private void tell(long now) {
      publish(running);
      elsewhere |= switchFile.present() != null || budget.isFreeAgain(now);
      if (!filtered && CallPolicy.isFiltered()) {
        pipelines.obey(true, pipeline.memory(), totals);
        elsewhere = true;
      }
      if (now - stated > STATUS_NANOS) {
        stated = now;
        status(running);
      }
    }
  }

  private void publish(SampleEngine running) {
    totals.drainCpuNanos = ownCpu();
    totals.missedNanos = totals.missed.total(processCpu(), totals.drainCpuNanos);
    totals.storeResets = store == null ? 0 : store.fullGenerations();
    totals.engineNote = running == null ? "" : running.note();
    totals.throttleNote = throttle == null ? "" : throttle.note();
    totals.publish(running == null ? null : running.statistics());
    onPublish.run();
  }

  /** Writes how sampling goes, with a running engine or without. */
  private void status(SampleEngine running) {
    publish(running);
    if (store != null) {
      if (store.status(totals.latest())) {
        totals.missed.stated(totals.missedNanos);
      }
      start.begun();
    }
  }

  private EngineConfig config() {
    EngineKind preferred =
        Arrays.stream(EngineKind.values())
            .filter(kind -> kind.label().equals(request.engine()))
            .findFirst()
            .orElse(null);
    return new EngineConfig(
        request.intervalNanos(), EngineConfig.MAX_STACK_BYTES, preferred, pipelines.memoryAccess());
  }
}
