package stackweave.agent.drain;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import stackweave.engine.EngineDescription;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineSink;
import stackweave.engine.EngineState;
import stackweave.engine.EngineStatistics;
import stackweave.engine.SampleEngine;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SampledEvent;
import stackweave.linux.SystemCalls;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * An engine whose records are the test's: what is {@linkplain #deliver queued} is what the next
 * drain delivers. It keeps the contract of {@link SampleEngine}, and notes whether the drain thread
 * does.
 */
class FakeEngine implements SampleEngine {
  /** What a drain delivers. */
  interface Delivery {
    void to(EngineSink sink);
  }

  /** CPU time that each sample stands for. */
  static final long WEIGHT = 1_000_000;

  /** How long its rings have room. */
  private static final int BUSY_MILLIS = 40;

  final long interval;

  /** What was asked of it at its end: stop, drain, close. */
  final List<String> calls = new CopyOnWriteArrayList<>();

  /** How often it waited in vain while its samples stay in the rings. */
  final AtomicInteger wentOn = new AtomicInteger();

  volatile boolean ended;
  volatile boolean maySamplesWait = true;
  volatile double backlog;
  volatile long lost;
  volatile String note = "";

  private final EngineKind kind;
  private final ConcurrentLinkedQueue<Delivery> queue = new ConcurrentLinkedQueue<>();
  private final Semaphore woken = new Semaphore(0);
  private final StackSnapshot snapshot =
      new StackSnapshot(SystemCalls.current().orElseThrow().architecture(), 4096);
  private volatile int samples;
  private volatile boolean stopped;
  private volatile boolean closed;

  FakeEngine(EngineKind kind, long interval) {
    this.kind = kind;
    this.interval = interval;
  }

  /** A ring fills up. Any thread. */
  void deliver(Delivery delivery) {
    queue.add(delivery);
    wake();
  }

  /** The rings have room for many more. Any thread. */
  void leave(Delivery delivery) {
    queue.add(delivery);
  }

  /** How many deliveries wait for a drain. */
  int waiting() {
    return queue.size();
  }

  /** A sample whose stack is one frame. Asks whether it is wanted, as engines do. */
  void sample(EngineSink sink, int tid, long pc) {
    samples++;
    if (!sink.wantsSample()) {
      return;
    }
    snapshot.clear();
    snapshot.setTimeNanos(System.nanoTime());
    snapshot.setTid(tid);
    snapshot.setWeightNanos(WEIGHT);
    snapshot.registers().setPc(pc);
    snapshot.setHasRegisters(true);
    snapshot.setStackUnknown(true);
    sink.sample(snapshot);
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public EngineDescription description() {
    return new EngineDescription(kind, SampledEvent.CPU, interval, interval, false, 0);
  }

  @Override
  public EngineState state() {
    if (ended) {
      return EngineState.TO_BE_REPLACED;
    }
    return maySamplesWait ? EngineState.SAMPLES_MAY_WAIT : EngineState.DRAIN_SOON;
  }

  @Override
  public boolean await(int timeoutMillis, boolean gathers) {
    try {
      int most = Math.min(timeoutMillis, BUSY_MILLIS);
      boolean signalled = woken.tryAcquire(most, TimeUnit.MILLISECONDS);
      woken.drainPermits();
      if (gathers && !signalled) {
        wentOn.incrementAndGet();
      }
      return signalled;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void wake() {
    woken.release();
  }

  @Override
  public int drain(long untilTimeNanos, EngineSink sink) {
    if (closed) {
      throw new IllegalStateException("drained after it was closed");
    }
    if (stopped) {
      calls.add("drain");
    }
    int count = queue.size();
    for (int i = 0; i < count; i++) {
      queue.remove().to(sink);
    }
    return count;
  }

  @Override
  public double backlog() {
    return backlog;
  }

  @Override
  public String note() {
    return note;
  }

  @Override
  public void stop() {
    stopped = true;
    calls.add("stop");
  }

  @Override
  public EngineStatistics statistics() {
    if (closed) {
      throw new IllegalStateException("asked after it was closed");
    }
    return new EngineStatistics(kind)
        .set(EngineFigure.INTERVAL, interval)
        .set(EngineFigure.SAMPLES, samples)
        .set(EngineFigure.LOST, lost)
        .set(EngineFigure.CPU_COVERED, samples * WEIGHT);
  }

  @Override
  public void close() {
    closed = true;
    calls.add("close");
  }
}
