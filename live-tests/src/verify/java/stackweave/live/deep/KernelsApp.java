package stackweave.live.deep;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import stackweave.lab.Sampling;

/**
 * Threads in a kernel above a large buffer ({@code kernels.c}): {@code KernelsApp LIBRARY
 * CPU_SECONDS}, the CPU time of each thread. Their names say how they call it.
 */
final class KernelsApp {
  private static final int STACK_BYTES = 4 << 20;

  private KernelsApp() {}

  /** How a thread calls the kernel: {@code passes} of some 5 us for each call. */
  enum Calls {
    /** One caller, calls of four milliseconds. */
    LONG(0x0L, 1, 96, 800),
    /** One caller, calls of a tenth of a millisecond. */
    SHORT(0x0L, 1, 96, 20),
    /** Two callers in turn, calls of a sixth of a millisecond. */
    TURNS(0x10L, 2, 96, 30),
    /** One in fifteen by another caller. */
    SELDOM(0x1000_0000_0000_00L, 15, 96, 30),
    /** All callers, calls of one millisecond. */
    ALL(0x7654_3210L, 8, 96, 200),
    /** Another caller each 200 ms. */
    PHASES(0x10L, 1, 96, 30),
    /** All callers, and a buffer as large as what the timer engine copies. */
    LARGER(0x7654_3210L, 8, 256, 200),
    /** All callers, and a buffer as large as many a stack. */
    LARGEST(0x7654_3210L, 8, 1000, 1000);

    /** Before a thread returns to Java and looks at the clock: 50 ms. */
    private static final int PASSES = 10_000;

    private final long callers;
    private final int digits;
    private final int kib;
    private final int passes;

    Calls(long callers, int digits, int kib, int passes) {
      this.callers = callers;
      this.digits = digits;
      this.kib = kib;
      this.passes = passes;
    }

    private void work(long cpuNanos) {
      long x = 1;
      long begin = Sampling.cpuNanos();
      long now = begin;
      while (now < begin + cpuNanos) {
        boolean other = this == PHASES && (now - begin) / 200_000_000 % 2 == 1;
        x = run(x, other ? callers >> 4 : callers, digits, kib, passes, PASSES / passes);
        now = Sampling.cpuNanos();
      }
      System.out.println(name() + " " + x);
    }
  }

  static native long run(long seed, long callers, int digits, int kib, int passes, int calls);

  public static void main(String[] args) throws Exception {
    Sampling.await();
    System.load(Path.of(args[0]).toString());
    long nanos = (long) (Double.parseDouble(args[1]) * 1e9);
    // Two at a time: what is tested is not a machine with too few processors.
    for (int i = 0; i < Calls.values().length; i += 2) {
      List<Thread> threads = new ArrayList<>();
      for (Calls calls : List.of(Calls.values()[i], Calls.values()[i + 1])) {
        threads.add(new Thread(null, () -> calls.work(nanos), "kernels-" + calls, STACK_BYTES));
      }
      for (Thread thread : threads) {
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
  }
}
