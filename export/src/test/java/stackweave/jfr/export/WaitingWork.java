package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.jfr.event.SampleRecord.Kind.CPU;
import static stackweave.jfr.event.SampleRecord.Kind.WALL;

import java.nio.file.Path;
import java.util.Map;
import jdk.jfr.Recording;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.status.Breakdown;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.SamplerFigures;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;
import stackweave.jfr.store.Unpooled;

/**
 * A recording of two workers of a pool that use the CPU, call a server and wait for a monitor; of
 * two that are idle, a selector loop, and a thread of the JVM. Its sums are the constants here.
 */
public final class WaitingWork {
  public static final long MILLI = 1_000_000;
  public static final int CPU_SAMPLES = 100;
  public static final long CPU_NANOS = CPU_SAMPLES * 10 * MILLI;
  public static final long RUNNABLE_NANOS = 50 * MILLI;
  public static final long SOCKET_NANOS = 40 * 100 * MILLI;
  public static final long MONITOR_NANOS = 10 * 50 * MILLI;
  public static final long CALL_NANOS = 2 * 250 * MILLI;

  /** In a pool's queue. */
  public static final long POOL_NANOS = 2 * 10_000 * MILLI;

  public static final long SELECTOR_NANOS = 9_000 * MILLI;
  public static final long JVM_NANOS = 8_000 * MILLI;

  public static final long WORK_NANOS =
      CPU_NANOS + RUNNABLE_NANOS + SOCKET_NANOS + MONITOR_NANOS + CALL_NANOS;
  public static final long IDLE_NANOS = POOL_NANOS + SELECTOR_NANOS + JVM_NANOS;
  public static final int WAITING_SAMPLES = 1 + 40 + 10 + 2 + 2 + 1 + 1;

  private static final SessionInfo SESSION =
      new SessionInfo(
          "test",
          "x86_64-linux-gnu",
          Unpooled.legend(
              "0=native,1=kernel,2=interpreted,3=C1,4=C2,5=inlined,6=native method,7=stub"),
          Unpooled.legend("0=complete,1=thread entry,2=truncated,3=unreadable memory"),
          "0,1",
          ThreadState.legend());

  private final EventStore store;
  private final long start = System.nanoTime() - 20_000 * MILLI;
  private final boolean hasWaiting;
  private int written;

  private WaitingWork(EventStore store, boolean hasWaiting) {
    this.store = store;
    this.hasWaiting = hasWaiting;
  }

  public static void record(Path file) throws Exception {
    record(file, true);
  }

  /**
   * @param hasWaiting whether waiting is sampled, or nothing but CPU time
   */
  public static void record(Path file, boolean hasWaiting) throws Exception {
    try (Recording recording = new Recording()) {
      if (hasWaiting) {
        recording.enable(WallSample.NAME);
      }
      recording.start();
      try (EventStore store = EventStore.open(SESSION, StoreLimits.DEFAULT)) {
        new WaitingWork(store, hasWaiting).write();
      }
      recording.dump(file);
    }
  }

  /** Waits of 1 s each: without a frame, twice without the outermost ones, and whole. */
  public static void recordStackless(Path file) throws Exception {
    try (Recording recording = new Recording()) {
      recording.enable(WallSample.NAME);
      recording.start();
      try (EventStore store = EventStore.open(SESSION, StoreLimits.DEFAULT)) {
        WaitingWork work = new WaitingWork(store, true);
        long thread = work.thread(1, "worker");
        long job = work.java(EventStore.ROOT, "app.Job", "run");
        int truncated = 2;
        work.wait(ThreadState.SOCKET, thread, EventStore.ROOT, truncated);
        work.wait(ThreadState.SOCKET, thread, job, truncated);
        work.wait(ThreadState.SOCKET, thread, job, truncated);
        work.wait(ThreadState.SOCKET, thread, job, 0);
      }
      recording.dump(file);
    }
  }

  private void wait(ThreadState state, long thread, long stack, int end) {
    assertTrue(
        store.write(
            new SampleRecord()
                .begin(WALL, time(), 1_000 * MILLI)
                .stack(thread, stack, end, 0)
                .state(state.code())));
  }

  public static SampledRecording open(Path file, SampleChoice choice) throws RecordingException {
    return SampledRecording.open(
        file, ReadingProgress.NONE, true, SampledFrame.Change.NONE, choice);
  }

  private void write() {
    long run = java(EventStore.ROOT, "java.util.concurrent.ThreadPoolExecutor", "runWorker");
    long job = java(run, "app.Job", "run");
    long client = java(job, "app.Client", "call");
    long read = java(client, "sun.nio.ch.NioSocketImpl", "read");
    long lock = java(job, "app.Store", "put");
    long take = java(run, "java.util.concurrent.ThreadPoolExecutor", "getTask");
    long park = java(take, "java.util.concurrent.locks.LockSupport", "park");
    long loop = java(EventStore.ROOT, "app.Loop", "run");
    long select = java(loop, "sun.nio.ch.SelectorImpl", "select");
    long libjvm = ManyStacks.module(store, "/opt/jdk/lib/server/libjvm.so", "cc");
    long vm = nativeFrame(libjvm, "VMThread::run()");
    for (int i = 0; i < CPU_SAMPLES; i++) {
      long worker = thread(1 + i % 2, "pool-1-thread-" + (1 + i % 2));
      assertTrue(
          store.write(new SampleRecord().begin(CPU, time(), 10 * MILLI).stack(worker, job, 0, 0)));
    }
    long first = thread(1, "pool-1-thread-1");
    long second = thread(2, "pool-1-thread-2");
    wait(1, first, ThreadState.RUNNABLE.code(), RUNNABLE_NANOS, job);
    wait(30, first, ThreadState.SOCKET.code(), 100 * MILLI, read);
    wait(10, second, ThreadState.SOCKET.code(), 100 * MILLI, read);
    wait(10, second, ThreadState.MONITOR.code(), 50 * MILLI, lock);
    wait(2, second, ThreadState.ofSystemCall(318), 250 * MILLI, client);
    for (int i = 3; i <= 4; i++) {
      wait(1, thread(i, "pool-1-thread-" + i), ThreadState.PARK.code(), POOL_NANOS / 2, park);
    }
    wait(1, thread(5, "loop"), ThreadState.POLL.code(), SELECTOR_NANOS, select);
    long vmThread = store.thread(6, "VM Thread", 0, false, 0, null);
    wait(1, vmThread, ThreadState.NATIVE_LOCK.code(), JVM_NANOS, vm);
    store.status(
        new SamplerFigures(
            "perf",
            "",
            "",
            counters(),
            Map.of(Breakdown.ENDS, Map.of("complete", (long) CPU_SAMPLES))));
  }

  private Counters counters() {
    Counters counters =
        new Counters()
            .set(Counter.INTERVAL, 10 * MILLI)
            .set(Counter.TAKEN, CPU_SAMPLES)
            .set(Counter.WRITTEN, CPU_SAMPLES)
            .set(Counter.CPU_USED, CPU_NANOS + 10 * MILLI)
            .set(Counter.CPU_COVERED, CPU_NANOS);
    if (hasWaiting) {
      counters
          .set(Counter.WALL_INTERVAL, 20 * MILLI)
          .set(Counter.WALL_CAPTURED, 60)
          .set(Counter.WALL_WRITTEN, WAITING_SAMPLES);
    }
    return counters;
  }

  private long time() {
    return start + written++ * 10 * MILLI;
  }

  private void wait(int count, long thread, int state, long nanos, long stack) {
    for (int i = 0; i < count; i++) {
      boolean isWritten =
          store.write(
              new SampleRecord()
                  .begin(WALL, time(), nanos)
                  .stack(thread, stack, 0, 0)
                  .state(state));
      assertTrue(isWritten == hasWaiting, "written, and nothing asked for it, or not");
    }
  }

  private long thread(int number, String name) {
    return store.thread(number, name, number, false, 0, null);
  }

  private long java(long caller, String type, String name) {
    long method = store.method(MethodDefinition.java(type, name, "()V", 1, ""));
    return store.node(caller, method, ManyStacks.C2, 1, 0);
  }

  private long nativeFrame(long module, String symbol) {
    long method = store.method(MethodDefinition.symbol(module, symbol, 16));
    return store.node(EventStore.ROOT, method, ManyStacks.NATIVE, -1, 0);
  }
}
