package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import stackweave.engine.CpuSet;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineRefusedException;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.Libc;
import stackweave.linux.MemoryAccess;
import stackweave.testing.Commands;

/** One event a CPU samples several processes, which come and go. */
@Timeout(120)
class SharedEventsIT {
  private static final String[] BUSY = {"sh", "-c", "while :; do :; done"};
  private static final int ENOUGH = 20;

  private final List<ProcessHandle> started = new ArrayList<>();
  private final SharedEvents shared = new SharedEvents();

  @AfterEach
  void end() {
    shared.close();
    started.forEach(ProcessHandle::destroyForcibly);
  }

  private ProcessHandle start(String... command) throws IOException {
    ProcessHandle process = new ProcessBuilder(command).start().toHandle();
    started.add(process);
    return process;
  }

  /** A drain thread of one process. */
  private final class Drain implements Runnable {
    final SampledProcess process;
    final Set<Integer> tids = ConcurrentHashMap.newKeySet();
    final CountDownLatch enough = new CountDownLatch(ENOUGH);
    final Thread thread = new Thread(this);
    volatile CountDownLatch hang = new CountDownLatch(0);
    volatile boolean ends;
    volatile long samples;
    volatile long covered;
    volatile long used;
    volatile String refusal = "";

    Drain(ProcessHandle handle) {
      process = SampledProcess.other((int) handle.pid());
    }

    @Override
    public void run() {
      EngineConfig config =
          new EngineConfig(
              1_000_000,
              EngineConfig.MAX_STACK_BYTES,
              EngineKind.PERF,
              MemoryAccess.AUTO,
              SampledEvent.CPU,
              process);
      try (PerfSharedEngine engine =
          PerfSharedEngine.start(shared, config, new PerfBudget(PerfBudget.DEFAULT_BYTES))) {
        while (!ends) {
          engine.await(40);
          engine.drain(Long.MAX_VALUE, snapshot -> sample(snapshot.tid()));
        }
        engine.stop();
        engine.drain(Long.MAX_VALUE, snapshot -> sample(snapshot.tid()));
        samples = engine.statistics().get(EngineFigure.SAMPLES);
        covered = engine.statistics().get(EngineFigure.CPU_COVERED);
        used = engine.statistics().get(EngineFigure.CPU_USED);
        assertEquals(0, engine.statistics().get(EngineFigure.FOREIGN_SAMPLES));
      } catch (EngineRefusedException e) {
        refusal = e.getMessage();
        while (enough.getCount() > 0) {
          enough.countDown();
        }
      }
    }

    private void sample(int tid) {
      try {
        hang.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      tids.add(tid);
      enough.countDown();
    }

    Drain begin() {
      thread.start();
      return this;
    }

    void finish() throws InterruptedException {
      ends = true;
      thread.join();
    }
  }

  @Test
  void eachProcessGetsItsOwnSamplesFromOneSetOfEvents() throws Exception {
    long before = perfEvents();
    ProcessHandle one = start(BUSY);
    ProcessHandle two = start(BUSY);
    ProcessHandle other = start(BUSY);
    Drain first = new Drain(one).begin();
    first.enough.await();
    assumeTrue(first.refusal.isEmpty(), first.refusal);
    Drain second = new Drain(two).begin();
    second.enough.await();
    assertEquals(CpuSet.online().cardinality(), perfEvents() - before);
    first.finish();
    assertEquals(Set.of((int) one.pid()), first.tids);
    ProcessHandle late = start(BUSY);
    Drain third = new Drain(late).begin();
    third.enough.await();
    second.finish();
    third.finish();
    assertEquals(Set.of((int) two.pid()), second.tids);
    assertEquals(Set.of((int) late.pid()), third.tids);
    assertTrue(other.isAlive());
    // A sample stands for its time; the first and the last period of each CPU are cut.
    assertEquals(second.used, second.covered, 0.2 * second.used + 20_000_000);
    shared.close();
    assertEquals(before, perfEvents(), "descriptors are left");
  }

  @Test
  void oneThatHangsHangsAlone() throws Exception {
    Drain hanging = new Drain(start(BUSY)).begin();
    hanging.enough.await();
    assumeTrue(hanging.refusal.isEmpty(), hanging.refusal);
    hanging.hang = new CountDownLatch(1);
    Drain going = new Drain(start(BUSY)).begin();
    going.enough.await();
    assertFalse(hanging.ends);
    going.finish();
    hanging.hang.countDown();
    hanging.finish();
    assertEquals(1, hanging.tids.size());
  }

  /** As of a container: this process sees it by another id than it has there. */
  @Test
  void aProcessInAnotherNamespaceOfNumbersIsSampled() throws Exception {
    assumeTrue(Commands.exist("unshare") && Libc.geteuid() == 0, "namespaces are made by root");
    ProcessHandle outer = start("unshare", "--pid", "--fork", BUSY[0], BUSY[1], BUSY[2]);
    while (outer.children().findAny().isEmpty()) {
      Thread.sleep(10);
    }
    ProcessHandle inner = outer.children().findAny().orElseThrow();
    started.add(inner);
    Drain drain = new Drain(inner).begin();
    drain.enough.await();
    assumeTrue(drain.refusal.isEmpty(), drain.refusal);
    drain.finish();
    assertEquals(Set.of((int) inner.pid()), drain.tids);
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
}
