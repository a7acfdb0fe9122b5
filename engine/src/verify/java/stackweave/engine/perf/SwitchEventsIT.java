package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.CallPolicy;
import stackweave.linux.GuardedCall;
import stackweave.linux.SystemCalls;

/** The kernel's records of switches of this JVM's threads. */
class SwitchEventsIT {
  private static final long MILLISECOND = 1_000_000;
  private static final long SLEEP_MILLIS = 30;
  private static final int SLEEPS = 5;
  private static final long PATIENCE_NANOS = 300_000 * MILLISECOND;

  /** Times at which a thread was out, by that of leaving. */
  private static final class Blocks implements SwitchSink {
    private final int tid;
    private final List<long[]> blocks = new ArrayList<>();
    private final Set<Integer> ended = new HashSet<>();
    private final Set<Integer> seen = new HashSet<>();
    private long outAt;

    Blocks(int tid) {
      this.tid = tid;
    }

    @Override
    public void switchedOut(int tid, long timeNanos, boolean isPreempted) {
      seen.add(tid);
      if (tid == this.tid && !isPreempted) {
        outAt = timeNanos;
      }
    }

    @Override
    public void switchedIn(int tid, long timeNanos) {
      if (tid == this.tid && outAt != 0) {
        blocks.add(new long[] {outAt, timeNanos});
        outAt = 0;
      }
    }

    @Override
    public void woken(int tid, long timeNanos, int wakerPid, int wakerTid, boolean isInterrupt) {
      // Not looked at.
    }

    @Override
    public void started(int tid) {
      // Not looked at.
    }

    @Override
    public void ended(int tid) {
      ended.add(tid);
    }

    @Override
    public void lost() {
      // Not looked at.
    }

    /** Whether it was out for most of a sleep from before one time to behind another. */
    boolean hasWithin(long from, long to) {
      return blocks.stream()
          .anyMatch(
              b ->
                  b[0] >= from - MILLISECOND
                      && b[1] <= to + MILLISECOND
                      && b[1] - b[0] >= SLEEP_MILLIS * MILLISECOND / 2);
    }
  }

  private static SwitchEvents start() throws Exception {
    return SwitchEvents.start(
        SampledProcess.OWN,
        new PerfBudget(PerfBudget.DEFAULT_BYTES),
        CallPolicy.ofThread(Set.of(GuardedCall.PERF_EVENT_OPEN)),
        true);
  }

  private static void drainUntil(SwitchEvents events, SwitchSink sink, BooleanSupplier condition)
      throws InterruptedException {
    long begin = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - begin < PATIENCE_NANOS, "not within five minutes");
      Thread.sleep(2);
      events.drain(sink);
    }
  }

  /** One thread was there before, the other one inherits its events. */
  @Test
  void sleepsAreFromLeavingACpuToGettingOne() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    AtomicInteger tid = new AtomicInteger();
    List<long[]> own = new ArrayList<>();
    Thread child =
        new Thread(
            () -> {
              tid.set(SystemCalls.current().orElseThrow().gettid());
              for (int i = 0; i < SLEEPS; i++) {
                long before = System.nanoTime();
                sleep();
                own.add(new long[] {before, System.nanoTime()});
              }
              done.countDown();
              await(mayEnd);
            });
    Thread parent =
        new Thread(
            () -> {
              await(go);
              child.start();
              await(mayEnd);
            });
    parent.start();
    long before = perfEvents();
    try (SwitchEvents events = start()) {
      assertEquals(before + events.fileDescriptors(), perfEvents());
      go.countDown();
      done.await();
      Blocks blocks = new Blocks(tid.get());
      drainUntil(
          events,
          blocks,
          () -> own.stream().allMatch(sleep -> blocks.hasWithin(sleep[0], sleep[1])));
      assertTrue(
          !blocks.seen.contains(SystemCalls.current().orElseThrow().gettid()),
          "the thread that drains");
      mayEnd.countDown();
      child.join();
      drainUntil(events, blocks, () -> blocks.ended.contains(tid.get()));
      assertTrue(events.switches() >= 2 * SLEEPS);
      events.stop();
      events.drain(blocks);
      long switches = events.switches();
      sleep();
      events.drain(blocks);
      assertEquals(switches, events.switches(), "after its end");
    }
    parent.join();
    assertEquals(before, perfEvents(), "descriptors are left");
  }

  /** Descriptors of perf events that this process has, as /proc shows them. */
  private static long perfEvents() throws IOException {
    long count = 0;
    try (DirectoryStream<Path> links = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path link : links) {
        try {
          count += Files.readSymbolicLink(link).toString().contains("perf_event") ? 1 : 0;
        } catch (NoSuchFileException e) {
          // Closed meanwhile.
        }
      }
    }
    return count;
  }

  private static void sleep() {
    try {
      Thread.sleep(SLEEP_MILLIS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
