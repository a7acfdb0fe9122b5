package stackweave.engine.timer.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import stackweave.engine.EngineConfig;
import stackweave.engine.timer.handler.HandlerMemory;
import stackweave.linux.MemoryAccess;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;
import stackweave.testing.WaitingThread;

/**
 * What samples of a thread stand for, and how often there will be one. The thread uses no CPU time
 * meanwhile, so its timers hardly ever expire, and if one does, nothing takes its signal.
 */
class TimerThreadsTest {
  private static final long INTERVAL = 7_000_000;

  /** SIGURG, which is ignored unless there is a handler. */
  private static final int SIGNAL = 23;

  private static final int MAX_TIMERS = 1_024;

  /** Of TimerThreads: the sample is one of the thread's youth. */
  private static final long YOUNG = 1L << 31;

  private final SystemCalls calls = SystemCalls.current().orElseThrow();
  private final CountDownLatch end = new CountDownLatch(1);
  private final Thread idle = new Thread(this::idle);
  private final AtomicInteger tid = new AtomicInteger();
  private HandlerMemory memory;
  private TimerThreads threads;

  @BeforeEach
  void open() throws Exception {
    EngineConfig config = EngineConfig.every(INTERVAL);
    memory = HandlerMemory.acquire(calls, config.callPolicy(), MemoryAccess.AUTO, 4 << 20);
    threads = new TimerThreads(calls, memory, SIGNAL, INTERVAL);
    idle.setDaemon(true);
    idle.start();
    while (idle.getState() != Thread.State.WAITING) {
      Thread.sleep(1);
    }
    // On its way there it may still run a little.
    long before = -1;
    for (int still = 0; still < 5; still++) {
      long cpu = threads.cpuOf(tid.get());
      still = cpu == before ? still : 0;
      before = cpu;
      Thread.sleep(2);
    }
  }

  private void idle() {
    tid.set(calls.gettid());
    WaitingThread.await(end);
  }

  @AfterEach
  void close() throws Exception {
    threads.close();
    end.countDown();
    idle.join();
    memory.release();
  }

  private long identity() {
    return (long) threads.slot(tid.get()) << 47 | 1L << 32 | tid.get();
  }

  /** The intervals of this process's timers, as the kernel has them. */
  private Set<Long> intervals() {
    Set<Long> intervals = new TreeSet<>();
    try (NativeBuffer spec = NativeBuffer.allocate(32)) {
      for (int timer = 0; timer < MAX_TIMERS; timer++) {
        if (calls.timerGettime(timer, spec.address()) == 0) {
          intervals.add(spec.bytes().getLong(0) * 1_000_000_000L + spec.bytes().getLong(8));
        }
      }
    }
    return intervals;
  }

  @Test
  void theKernelHasTheIntervalThatWasAskedFor() {
    assertTrue(threads.attach(tid.get()));
    threads.begin(tid.get(), 0, 0, -1);
    assertTrue(intervals().contains(INTERVAL), "intervals: " + intervals());
    assertEquals(INTERVAL, threads.weigh(identity(), 0));
  }

  /** What a thread has used before it was found is in its first sample. */
  @Test
  void theFirstSampleStandsForWhatWasUsedBefore() {
    assertTrue(threads.attach(tid.get()));
    long accountedFrom = 1_000;
    long used = threads.cpuOf(tid.get()) - accountedFrom;
    assertTrue(used > 0);
    threads.begin(tid.get(), 0, 0, accountedFrom);
    assertEquals(INTERVAL + used, threads.weigh(identity(), 0));
    assertEquals(INTERVAL, threads.weigh(identity(), 0));
  }

  /** At each tick its timer, of a quarter of a tick, has expired four times. */
  @Test
  void samplesOfAYoungThreadStandForTheTicksThatItRan() {
    assertTrue(threads.attach(tid.get()));
    threads.begin(tid.get(), 0, 0, 0);
    long tick = CpuTimers.tickNanos();
    long sum = 0;
    for (int i = 0; i < 5; i++) {
      sum += threads.weigh(identity() | YOUNG, 3);
    }
    double ticks = (double) sum / tick;
    // Five, and as much after the last one as before the first.
    assertTrue(ticks > 5 && ticks < 6.5, "ticks: " + ticks);
  }
}
