package stackweave.engine;

import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;

/** A thread that uses a given amount of CPU time, by its own CPU clock, and says so. */
public class Burner extends Thread {
  /** Many times as long as a turn takes on a slow machine. */
  private static final long STOLEN_NANOS = 20_000_000;

  private volatile long cpuNanos;
  private volatile long sum;
  public volatile int tid;
  public volatile long used;

  /**
   * The part of it in which the CPU was taken from it without the kernel's knowledge, as virtual
   * machines do: a sample a tick is not to be had then.
   */
  public volatile long stolen;

  public Burner(String name, long cpuNanos) {
    super(name);
    this.cpuNanos = cpuNanos;
  }

  /** Has it end when it has used so much more than by now. */
  public void endAfter(long more) {
    cpuNanos = used + more;
  }

  public static Burner start(String name, long cpuNanos) {
    Burner burner = new Burner(name, cpuNanos);
    burner.start();
    return burner;
  }

  @Override
  public void run() {
    tid = SystemCalls.current().orElseThrow().gettid();
    try (NativeBuffer time = NativeBuffer.allocate(16)) {
      do {
        burn();
        long now = threadCpu(time);
        stolen += now - used > STOLEN_NANOS ? now - used : 0;
        used = now;
      } while (used < cpuNanos);
    }
  }

  /** Long enough that asking the CPU clock, a system call, hardly counts. */
  private void burn() {
    long value = sum;
    for (int i = 0; i < 200_000; i++) {
      value = value * 31 + i;
    }
    sum = value;
  }

  public static long threadCpu(NativeBuffer time) {
    return Libc.clockNanos(Libc.CLOCK_THREAD_CPUTIME_ID, time);
  }
}
