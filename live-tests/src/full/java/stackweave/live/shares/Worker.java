package stackweave.live.shares;

import java.util.Locale;
import stackweave.lab.CpuTime;

/** A thread that says what CPU time it has used inside of one method. */
abstract class Worker extends Thread {
  private final String kind;
  private int tid;
  private long began;
  private long ended;
  private long used;
  private long sum;

  /**
   * @param kind what it does
   */
  Worker(String kind) {
    super(kind);
    this.kind = kind;
  }

  @Override
  public void run() {
    measured();
  }

  /** A sample counts if its stack has this method, since between two looks at the CPU clock. */
  private void measured() {
    tid = Ticks.thisThread();
    began = System.nanoTime();
    long before = CpuTime.ofThread();
    try {
      work();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    used = CpuTime.ofThread() - before;
    ended = System.nanoTime();
  }

  /** What it does from its start to its end. */
  abstract void work() throws InterruptedException;

  /** Uses CPU time. */
  final void burn(long nanos) {
    long end = CpuTime.ofThread() + nanos;
    do {
      for (int i = 0; i < 2_000; i++) {
        sum = sum * 31 + i;
      }
    } while (CpuTime.ofThread() < end);
  }

  /** Once it has ended: the line that {@link Used#read} reads. */
  final String line() {
    return String.format(Locale.ROOT, "%s\t%d\t%d\t%d\t%d", kind, tid, began, ended, used);
  }
}
