package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import stackweave.engine.Burner;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.EngineSink;
import stackweave.engine.EngineState;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.MemoryAccess;
import stackweave.linux.ProcessMemory;
import stackweave.maps.proc.Mapping;
import stackweave.maps.proc.ProcMaps;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.snapshot.OlderCopy;
import stackweave.unwind.snapshot.StackSnapshot;

/** What is copied of a thread whose stack is deeper than the event's own copy. */
class OlderPartsIT {
  private static final int PAGE = OlderCopy.PAGE_BYTES;
  private static final int SAMPLES = 20;
  private static final int FRAMES = 500;
  private static final long PATIENCE_NANOS = 20_000_000_000L;

  /** Uses its CPU time deep in a recursion, whose frames stay as they are meanwhile. */
  private static final class DeepBurner extends Burner {
    DeepBurner() {
      super("deep", Long.MAX_VALUE);
    }

    @Override
    public void run() {
      recurse(FRAMES, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20);
    }

    private long recurse(
        int more,
        long a,
        long b,
        long c,
        long d,
        long e,
        long f,
        long g,
        long h,
        long i,
        long j,
        long k,
        long l,
        long m,
        long n,
        long o,
        long p,
        long q,
        long r,
        long s,
        long t) {
      if (more == 0) {
        super.run();
        return a;
      }
      return recurse(more - 1, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, a)
          + a
          + b
          + c
          + d
          + e
          + f
          + g
          + h
          + i
          + j
          + k
          + l
          + m
          + n
          + o
          + p
          + q
          + r
          + s
          + t;
    }
  }

  /** Compares each copy with the thread's stack as it still is. */
  private final class Comparison implements EngineSink {
    private final ProcessMemory memory = new ProcessMemory(SampledProcess.OWN, MemoryAccess.AUTO);
    private final int deep;
    private final int shallow;
    private int samples;
    private long shallowEnd;
    private int copied;
    private long end;

    /** What is expected to be the end of copies; 0: the stack's. */
    private long bound;

    /** Whether it says where stacks end: of the deep one, two pages too early. */
    private boolean tells;

    private final Set<Integer> told = new HashSet<>();

    Comparison(int deep, int shallow) {
      this.deep = deep;
      this.shallow = shallow;
    }

    @Override
    public void sample(StackSnapshot snapshot) {
      OlderCopy copy = snapshot.olderCopy();
      if (snapshot.tid() == shallow) {
        // Until its end is known, what is copied may be another stack's, above it.
        shallowEnd = endOfMapping(snapshot.stackAddress());
        assertTrue(bound == 0 || copy.isEmpty(), "above a shallow stack");
      }
      if (tells && bound == 0 && (snapshot.tid() == deep || snapshot.tid() == shallow)) {
        copy.setNeeded(snapshot.tid() == deep ? end - 2 * PAGE : shallowEnd, 0);
        told.add(snapshot.tid());
        return;
      }
      if (snapshot.tid() != deep) {
        return;
      }
      samples++;
      long sp = snapshot.stackAddress();
      end = end == 0 ? endOfMapping(sp) : end;
      long last = bound == 0 ? end : bound;
      if (copy.isEmpty() || bound != 0 && copy.has(last, Long.BYTES)) {
        return; // of before the end was told, or the kernel was interrupted
      }
      copied++;
      long first = sp + snapshot.stackLength();
      assertTrue(last - first > 2 * PAGE, "not deep");
      for (long at = first & -Long.BYTES; at < last; at += 512) {
        assertTrue(copy.has(at, Long.BYTES), "a page is missing");
        assertEquals(word(at), copy.getLong(at));
      }
    }

    private long word(long address) {
      try {
        return memory.readLong(address);
      } catch (UnreadableMemoryException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static long endOfMapping(long address) {
    try {
      for (Mapping mapping : ProcMaps.read(Path.of("/proc/self"))) {
        if (mapping.start() <= address && address < mapping.end()) {
          return mapping.end();
        }
      }
      throw new AssertionError("no mapping");
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void pagesFromTheCopysEndToTheStacksAreThere() throws Exception {
    Burner deep = new DeepBurner();
    deep.start();
    Burner other = Burner.start("other", Long.MAX_VALUE);
    while (deep.used == 0 || other.used == 0) {
      Thread.sleep(1);
    }
    try (PerfCpuEngine engine = start()) {
      assumeTrue(engine != null, "this user may not load BPF programs");
      assertEquals(EngineState.SAMPLES_MAY_WAIT, engine.state());
      Comparison comparison = new Comparison(deep.tid, other.tid);
      drain(engine, comparison);
      assertEquals(EngineState.DRAIN_SOON, engine.state());
      // From the first sample on, but for those that interrupted the kernel.
      assertTrue(
          comparison.copied >= 0.8 * comparison.samples,
          () -> comparison.copied + " of " + comparison.samples);
      assertTrue(comparison.shallowEnd != 0);
      comparison.tells = true;
      long tooLong = System.nanoTime() + PATIENCE_NANOS;
      while (comparison.told.size() < 2 && System.nanoTime() < tooLong) {
        engine.await(5);
        engine.drain(Long.MAX_VALUE, comparison);
      }
      engine.drain(Long.MAX_VALUE, comparison); // what was copied before
      comparison.bound = comparison.end - 2 * PAGE;
      comparison.copied = 0;
      drain(engine, comparison);
      comparison.memory.close();
    } finally {
      deep.endAfter(0);
      other.endAfter(0);
      deep.join();
      other.join();
    }
  }

  private static void drain(PerfCpuEngine engine, Comparison comparison) {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (comparison.copied < SAMPLES && System.nanoTime() < end) {
      engine.await(5);
      engine.drain(Long.MAX_VALUE, comparison);
    }
    assertTrue(comparison.copied >= SAMPLES, "copies: " + comparison.copied);
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
