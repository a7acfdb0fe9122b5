package stackweave.agent.feature.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import stackweave.agent.feature.waiting.BlockedStacks.Outcome;
import stackweave.linux.CpuTime;
import stackweave.linux.ProcessMemory;
import stackweave.linux.SystemCalls;
import stackweave.linux.task.TaskFiles;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/** A thread that goes on while it is read is noticed, always. */
class BlockedStacksTest {
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  private final SystemCalls calls = SystemCalls.current().orElseThrow();
  private final CountDownLatch started = new CountDownLatch(1);
  private volatile int tid;
  private volatile int turns;
  private volatile boolean ending;
  private Thread thread;
  private ProcessMemory memory;

  @BeforeEach
  void start() throws InterruptedException {
    memory = new ProcessMemory();
    thread = new Thread(this::turn);
    thread.setDaemon(true);
    thread.start();
    started.await();
  }

  private void turn() {
    tid = calls.gettid();
    started.countDown();
    for (int turn = 0; !ending; turn++) {
      turns = turn;
      LockSupport.park(this);
    }
  }

  @AfterEach
  void end() throws InterruptedException {
    ending = true;
    LockSupport.unpark(thread);
    thread.join();
    memory.close();
  }

  /** Reads until the kernel says of the thread that it doesn't run. */
  private Outcome read(BlockedStacks stacks, CpuTime clock) throws InterruptedException {
    long begin = System.nanoTime();
    Outcome outcome = stacks.read(tid, 0, 0, clock.ofThread(tid), false);
    while (outcome == Outcome.RUNS) {
      assertTrue(System.nanoTime() - begin < PATIENCE_NANOS);
      Thread.sleep(1);
      outcome = stacks.read(tid, 0, 0, clock.ofThread(tid), false);
    }
    return outcome;
  }

  @Test
  void aThreadThatWaitsIsRead() throws Exception {
    CpuTime clock = new CpuTime();
    try (BlockedStacks stacks =
        new BlockedStacks(calls.architecture(), new TaskFiles(calls), memory, null)) {
      long begin = System.nanoTime();
      while (read(stacks, clock) != Outcome.READ) {
        assertTrue(System.nanoTime() - begin < PATIENCE_NANOS);
      }
      assertEquals(clock.ofThread(tid), stacks.cpuNanos);
      long sp = stacks.snapshot.registers().sp();
      assertEquals(sp, stacks.snapshot.stackAddress());
      assertEquals(memory.readLong(sp), stacks.snapshot.readLong(sp));
    }
  }

  /** Each time that its stack is copied the thread is woken, and goes on before the copy ends. */
  @Test
  void aThreadThatGoesOnMeanwhileIsNot() throws Exception {
    MemoryReader wakes =
        new MemoryReader() {
          @Override
          public long readLong(long address) throws UnreadableMemoryException {
            return memory.readLong(address);
          }

          @Override
          public void read(long address, byte[] target, int offset, int length)
              throws UnreadableMemoryException {
            memory.read(address, target, offset, length);
            int before = turns;
            long begin = System.nanoTime();
            while (turns == before && System.nanoTime() - begin < PATIENCE_NANOS) {
              LockSupport.unpark(thread);
              Thread.onSpinWait();
            }
          }
        };
    CpuTime clock = new CpuTime();
    try (BlockedStacks stacks =
        new BlockedStacks(calls.architecture(), new TaskFiles(calls), wakes, null)) {
      for (int i = 0; i < 100; i++) {
        assertEquals(Outcome.MOVED, read(stacks, clock));
      }
    }
  }
}
