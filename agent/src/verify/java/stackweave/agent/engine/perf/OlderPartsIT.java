package stackweave.agent.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import stackweave.agent.engine.Burner;
import stackweave.agent.engine.EngineConfig;
import stackweave.agent.engine.EngineRefusedException;
import stackweave.agent.engine.EngineSink;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.NativeBuffer;
import stackweave.jfr.control.EngineKind;
import stackweave.unwind.snapshot.OlderCopy;
import stackweave.unwind.snapshot.StackSnapshot;

/** What is copied of a thread for which it is wanted: any memory here, in place of its stack. */
class OlderPartsIT {
  private static final int PAGE = OlderCopy.PAGE_BYTES;
  private static final int PAGES = 6;
  private static final int MISSING = 3;
  private static final int SAMPLES = 40;
  private static final long PATIENCE_NANOS = 20_000_000_000L;

  /** What the pages of each sample began with; −1 for one that is not there. */
  private final List<List<Long>> copied = new ArrayList<>();

  private final List<Integer> tids = new ArrayList<>();

  @Test
  void pagesComeWithEachSampleOfTheThreadAndOfNoOther() throws Exception {
    NativeBuffer memory = NativeBuffer.allocate((PAGES + 2) * PAGE);
    long from = memory.address() + PAGE - 1 & -PAGE;
    int offset = (int) (from - memory.address());
    Burner wanted = Burner.start("wanted", Long.MAX_VALUE);
    Burner other = Burner.start("other", Long.MAX_VALUE);
    try (PerfCpuEngine engine = start()) {
      assumeTrue(engine != null, "this user may not load BPF programs");
      assertTrue(engine.maySamplesWait());
      assertEquals(0, Libc.mprotect(from + MISSING * PAGE, PAGE, Libc.PROT_NONE));
      engine.copyOlder(wanted.tid, from + PAGE, 0);
      engine.copyOlder(wanted.tid, from + PAGE, from + PAGES * PAGE); // now the end is known
      assertFalse(engine.maySamplesWait());
      EngineSink sink = sink(from);
      long end = System.nanoTime() + PATIENCE_NANOS;
      for (long i = 1; copied.size() < SAMPLES && System.nanoTime() < end; i++) {
        for (int page = 0; page <= PAGES; page++) {
          if (page != MISSING) {
            memory.bytes().putLong(offset + page * PAGE, i);
          }
        }
        engine.await(5);
        engine.drain(Long.MAX_VALUE, sink);
      }
    } finally {
      wanted.endAfter(0);
      other.endAfter(0);
      wanted.join();
      other.join();
      Libc.mprotect(from, PAGES * PAGE, Libc.PROT_READ | Libc.PROT_WRITE);
      memory.close();
    }
    check(wanted.tid, other.tid);
  }

  private void check(int wanted, int other) {
    assertTrue(copied.size() >= SAMPLES, () -> "samples " + copied.size());
    assertTrue(tids.contains(other));
    long before = 0;
    int with = 0;
    for (int i = 0; i < copied.size(); i++) {
      List<Long> pages = copied.get(i);
      if (tids.get(i) != wanted) {
        assertEquals(Collections.nCopies(PAGES + 1, -1L), pages);
      } else if (pages.get(0) != -1) {
        with++;
        long now = pages.get(0);
        assertTrue(now >= before, "of a sample before");
        before = now;
        assertEquals(-1, pages.get(MISSING));
        assertEquals(-1, pages.get(PAGES), "above the end");
        assertTrue(pages.get(PAGES - 1) == now || pages.get(PAGES - 1) == now - 1, pages::toString);
      }
    }
    long all = tids.stream().filter(tid -> tid == wanted).count();
    assertTrue(with >= all - 3, with + " of " + all); // the first ones came before it was wanted
    assertTrue(before > 1);
  }

  private EngineSink sink(long from) {
    return new EngineSink() {
      @Override
      public void sample(StackSnapshot snapshot) {
        List<Long> pages = new ArrayList<>();
        for (int page = 0; page <= PAGES; page++) {
          OlderCopy copy = snapshot.olderCopy();
          long address = from + page * PAGE;
          pages.add(copy.has(address, 8) ? copy.getLong(address) : -1);
        }
        copied.add(pages);
        tids.add(snapshot.tid());
      }
    };
  }

  private static PerfCpuEngine start() {
    try {
      return PerfCpuEngine.start(
          new EngineConfig(5_000_000, EngineConfig.MAX_STACK_BYTES, EngineKind.PERF),
          new PerfBudget(PerfBudget.DEFAULT_BYTES));
    } catch (EngineRefusedException e) {
      return null;
    }
  }
}
