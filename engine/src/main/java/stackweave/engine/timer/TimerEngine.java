package stackweave.engine.timer;

import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.locks.LockSupport;
import stackweave.engine.CpuSet;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineDescription;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.EngineSink;
import stackweave.engine.EngineState;
import stackweave.engine.EngineStatistics;
import stackweave.engine.KernelClock;
import stackweave.engine.RefusalText;
import stackweave.engine.SampleEngine;
import stackweave.engine.SignalTargets;
import stackweave.engine.ThreadStacks;
import stackweave.engine.timer.handler.HandlerLayout;
import stackweave.engine.timer.handler.HandlerMemory;
import stackweave.engine.timer.handler.HandlerSignal;
import stackweave.engine.timer.threads.CpuTimers;
import stackweave.engine.timer.threads.PassedOver;
import stackweave.engine.timer.threads.TimerThreads;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.CallPolicy;
import stackweave.linux.CpuTime;
import stackweave.linux.Libc;
import stackweave.linux.SystemCalls;
import stackweave.linux.TaskList;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Samples by CPU timers: each thread has one on its CPU clock, whose signal runs machine code on
 * that thread that copies registers and stack into a ring. Started by the engine chooser; for the
 * drain thread, except {@link #wake}. The kernel checks CPU timers at its ticks, so at shorter
 * intervals a sample has the weight of several expiries. The signal arrives on the way back to user
 * mode, so system calls are seen with the user stack; a blocked thread gets no signal.
 *
 * <p>{@link HandlerMemory} holds handler and ring, {@link TimerDiscovery} finds threads for {@link
 * TimerThreads}, and {@link TimerRecords} reads the ring.
 */
public final class TimerEngine implements SampleEngine {
  /** Longest wait of samples and new threads. */
  private static final int STEP_MILLIS = 5;

  /** Share of the ring above which samples must be drained. */
  private static final double FILLING = 0.25;

  private static final String UNKNOWN_STACKS =
      " or not known: this C library's thread descriptors are not understood, so the stacks of Java"
          + " threads alone are";

  private static final String INTERRUPTS =
      "this kernel's CPU timers may end a blocking call with EINTR (x86 before Linux 5.9); a perf"
          + " engine sends no signals";

  private static final long IN_FLIGHT_NANOS = 1_000_000_000L;

  /** For {@code /proc/self/task}. */
  private static final int FILE_DESCRIPTORS = 1;

  private final EngineConfig config;
  private final SignalTargets targets;
  private final int stackBytes;
  private final int ringBytes;
  private final int cpus;
  private final HandlerMemory memory;
  private final CpuTime cpuTime = new CpuTime();
  private final Thread drain = Thread.currentThread();
  private final EngineDescription description;
  private HandlerSignal signal;
  private TimerThreads threads;
  private TimerDiscovery discovery;
  private TimerRecords records;
  private int attachedAtStart;
  private long foreignAtStart;
  private long droppedAtStart;
  private long droppedExpiriesAtStart;
  private long cpuAtStart;
  private long cpuAtStop;
  private final boolean mayInterrupt = CpuTimers.mayInterruptCalls();
  private volatile boolean woken;

  /** The end of the ring when threads were looked for last. */
  private long lookedAt;

  private boolean stopped;
  private boolean closed;

  private TimerEngine(EngineConfig config, SignalTargets targets, HandlerMemory memory) {
    this.config = config;
    this.targets = targets;
    this.memory = memory;
    this.stackBytes = config.stackBytes() & -16;
    this.ringBytes = memory.ringBytes();
    this.cpus = CpuSet.ofProcess().length;
    // The kernel checks CPU timers once a tick. Without the vDSO's clock a sample has the time at
    // which it was drained.
    this.description =
        new EngineDescription(
            EngineKind.TIMER,
            config.event(),
            config.intervalNanos(),
            Math.max(config.intervalNanos(), CpuTimers.tickNanos()),
            true,
            memory.get(HandlerLayout.PROCESS_CLOCK) == 0 ? Long.MAX_VALUE : 0);
  }

  /**
   * Starts on the calling thread, which is not sampled.
   *
   * @param targets used before anything else
   * @throws EngineRefusedException if it can't run; nothing is held then
   */
  public static TimerEngine start(EngineConfig config, SignalTargets targets)
      throws EngineRefusedException {
    return start(config, targets, 0);
  }

  /** As {@link #start(EngineConfig, SignalTargets)}, with a given signal; 0 for a free one. */
  public static TimerEngine start(EngineConfig config, SignalTargets targets, int signal)
      throws EngineRefusedException {
    Optional<SystemCalls> known = SystemCalls.current();
    if (known.isEmpty()) {
      throw RefusalText.TIMER_ARCHITECTURE.of(EngineKind.TIMER, 0);
    }
    SystemCalls calls = known.get();
    String heapStackLibrary = targets.heapStackLibrary();
    if (!heapStackLibrary.isEmpty()) {
      throw RefusalText.TIMER_LIBRARY.of(EngineKind.TIMER, 0, heapStackLibrary);
    }
    ThreadStacks javaStacks = targets.javaStacks(); // first, while nothing has to be released
    CallPolicy policy = config.callPolicy();
    TimerEngine engine =
        new TimerEngine(
            config,
            targets,
            HandlerMemory.acquire(calls, policy, config.memoryAccess(), ringBytes(config)));
    try {
      engine.open(calls, javaStacks, signal);
      return engine;
    } catch (EngineRefusedException | RuntimeException | Error e) {
      engine.close();
      throw e;
    }
  }

  /** The ring's size; the kernel checks CPU timers once a tick. */
  private static int ringBytes(EngineConfig config) {
    long nanos = Math.max(config.intervalNanos(), CpuTimers.tickNanos());
    return HandlerMemory.ringBytes(CpuSet.ofProcess().length, 1e9 / nanos);
  }

  private void open(SystemCalls calls, ThreadStacks javaStacks, int number)
      throws EngineRefusedException {
    TaskList tasks = TaskList.open(calls, SampledProcess.OWN);
    if (tasks == null) {
      throw RefusalText.TIMER_TASKS.of(EngineKind.TIMER, Libc.errno());
    }
    signal = install(calls, number, tasks);
    threads = new TimerThreads(calls, memory, signal.number(), config.intervalNanos());
    discovery = new TimerDiscovery(calls, config, tasks, threads, javaStacks, targets);
    records =
        new TimerRecords(
            memory,
            HandlerLayout.of(calls.architecture()),
            threads,
            new KernelClock(),
            new StackSnapshot(calls.architecture(), stackBytes));
    foreignAtStart = memory.get(HandlerLayout.PROCESS_FOREIGN);
    droppedAtStart = memory.get(HandlerLayout.PROCESS_DROPPED);
    droppedExpiriesAtStart = memory.get(HandlerLayout.PROCESS_DROPPED_EXPIRIES);
    memory.set(HandlerLayout.PROCESS_STACK_LIMIT, stackBytes);
    memory.set(HandlerLayout.PROCESS_ENABLED, 1);
    signal.useSignalStacks(!targets.signalStacksMayVanish());
    cpuAtStart = cpuTime.ofOthers();
    attachedAtStart = discovery.attachAll();
  }

  private HandlerSignal install(SystemCalls calls, int number, TaskList tasks)
      throws EngineRefusedException {
    try {
      return number == 0
          ? HandlerSignal.install(calls, memory)
          : HandlerSignal.install(number, memory);
    } catch (EngineRefusedException e) {
      tasks.close();
      throw e;
    }
  }

  @Override
  public EngineDescription description() {
    return description;
  }

  /** The signal's number. */
  int signal() {
    return signal.number();
  }

  /**
   * Waits in steps, since handlers don't wake the drain thread and new threads have to be found.
   */
  @Override
  public boolean await(int timeoutMillis, boolean gathers) {
    if (closed) {
      return false;
    }
    if (gathers) {
      return awaitFilling(timeoutMillis);
    }
    long deadline = System.nanoTime() + timeoutMillis * 1_000_000L;
    do {
      // In ns, so that a rest below a millisecond is waited for, too.
      long left = deadline - System.nanoTime();
      long step = Math.min(1_000_000L * (discovery.isPressed() ? 1 : STEP_MILLIS), left);
      if (isWokenIn(step) || !records.isEmpty()) {
        return true;
      }
      look();
    } while (System.nanoTime() - deadline < 0);
    return false;
  }

  /** Waits in short steps, since new threads are looked for between two of them. */
  private boolean awaitFilling(int timeoutMillis) {
    boolean isFilling =
        isWokenIn(1_000_000L * Math.min(timeoutMillis, STEP_MILLIS)) || backlog() > FILLING;
    look();
    return isFilling;
  }

  /** Waits for so many ns, or not at all below 1; returns whether it was woken. */
  private boolean isWokenIn(long nanos) {
    LockSupport.parkNanos(this, nanos);
    Thread.interrupted(); // an interrupted thread would not park
    boolean wasWoken = woken;
    woken = false;
    return wasWoken;
  }

  /**
   * Samples may not wait if one is a thread's first, which also stands for earlier CPU time and
   * with which the thread's name is read, or if its thread has ended. Without a clock in the
   * handler, a sample's time is that at which it is drained.
   */
  @Override
  public EngineState state() {
    return description.clockErrorNanos() == 0 && !records.isAnyUrgent() && discovery.isQuiet()
        ? EngineState.SAMPLES_MAY_WAIT
        : EngineState.DRAIN_SOON;
  }

  @Override
  public void wake() {
    woken = true;
    LockSupport.unpark(drain);
  }

  @Override
  public int drain(long untilTimeNanos, EngineSink sink) {
    if (closed) {
      return 0;
    }
    int count = records.drain(untilTimeNanos, stopped, sink);
    if (records.isPast(lookedAt)) {
      discovery.reportEnded(sink);
    }
    look();
    discovery.reportStarted(sink);
    return count;
  }

  /** Looks for threads. Those found to have ended may still have samples in the ring. */
  private void look() {
    if (!stopped) {
      signal.useSignalStacks(!targets.signalStacksMayVanish());
      discovery.look();
      lookedAt = records.end();
    }
  }

  @Override
  public double backlog() {
    return (double) records.waiting() / ringBytes;
  }

  /**
   * Deletes the timers, discards pending signals, then waits for running handlers. The order
   * matters: each step makes the next one final.
   */
  @Override
  public void stop() {
    if (stopped) {
      return;
    }
    stopped = true;
    if (threads != null) {
      threads.deleteTimers();
    }
    memory.set(HandlerLayout.PROCESS_ENABLED, 0);
    if (signal != null) {
      signal.uninstall();
    }
    long since = System.nanoTime();
    while (memory.get(HandlerLayout.PROCESS_IN_FLIGHT) != 0
        && System.nanoTime() - since < IN_FLIGHT_NANOS) {
      LockSupport.parkNanos(this, 50_000);
    }
    cpuAtStop = cpuTime.ofOthers();
  }

  @Override
  public EngineStatistics statistics() {
    long dropped = memory.get(HandlerLayout.PROCESS_DROPPED) - droppedAtStart;
    long expiries = memory.get(HandlerLayout.PROCESS_DROPPED_EXPIRIES) - droppedExpiriesAtStart;
    return new EngineStatistics(EngineKind.TIMER)
        .set(EngineFigure.INTERVAL, config.intervalNanos())
        .set(EngineFigure.THREADS, attachedAtStart)
        .set(EngineFigure.CPUS, cpus)
        .set(EngineFigure.FILE_DESCRIPTORS, closed ? 0 : FILE_DESCRIPTORS)
        .set(EngineFigure.RING_BYTES, ringBytes)
        .set(EngineFigure.STACK_BYTES, stackBytes)
        .set(EngineFigure.SAMPLES, records.samples())
        .set(EngineFigure.LOST, dropped + records.abandoned())
        .set(
            EngineFigure.FOREIGN_SIGNALS,
            memory.get(HandlerLayout.PROCESS_FOREIGN) - foreignAtStart)
        .set(EngineFigure.LATE, records.late())
        .set(EngineFigure.MALFORMED, records.malformed())
        .set(EngineFigure.CPU_USED, (stopped ? cpuAtStop : cpuTime.ofOthers()) - cpuAtStart)
        .set(EngineFigure.CPU_COUNTED, records.coveredNanos() + expiries * config.intervalNanos())
        .set(EngineFigure.CPU_COVERED, records.coveredNanos())
        .set(EngineFigure.THREADS_SKIPPED, discovery.refused() + blocked() + small());
  }

  private int blocked() {
    return threads.passedOver(PassedOver.BLOCKS) + threads.passedOver(PassedOver.WAITS);
  }

  private int small() {
    return threads.passedOver(PassedOver.SMALL_STACK);
  }

  @Override
  public String note() {
    StringJoiner note = new StringJoiner("; ");
    if (!stopped && !signal.isOurs()) {
      note.add(
          "signal "
              + signal.number()
              + " was taken over by another handler, so samples may be missing");
    }
    add(
        note,
        "threads not sampled, for the queue of signals (ulimit -i) is short",
        discovery.refused());
    add(
        note,
        "threads not sampled, for they block signal "
            + signal.number()
            + " or wait for it (they, or who started them, block all signals)",
        blocked());
    add(
        note,
        "threads not sampled, for the signal's frame may not fit on their stacks of less than 128"
            + " KiB (a perf engine samples them)",
        small());
    if (records.withoutStack() > 0) {
      note.add(
          records.withoutStack()
              + " samples without stack, of threads on one that is not their own"
              + (discovery.knowsThreads() ? "" : UNKNOWN_STACKS));
    }
    if (mayInterrupt) {
      note.add(INTERRUPTS);
    }
    return note.toString();
  }

  private static void add(StringJoiner note, String what, int threads) {
    if (threads > 0) {
      note.add(what + ": " + threads);
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    stop();
    closed = true;
    if (discovery != null) {
      discovery.close();
    }
    if (threads != null) {
      threads.close();
    }
    if (signal != null) {
      signal.close();
    }
    cpuTime.close();
    memory.release();
  }
}
