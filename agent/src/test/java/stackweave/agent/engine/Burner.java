package stackweave.agent.engine;

import stackweave.agent.linux.Libc;
import stackweave.agent.linux.NativeBuffer;
import stackweave.agent.linux.SystemCalls;

/** A thread that uses a given amount of CPU time, by its own CPU clock, and says so. */
public class Burner extends Thread {
  private final long cpuNanos;
  private volatile long sum;
  public volatile int tid;
  public volatile long used;

  public Burner(String name, long cpuNanos) {
    super(name);
    this.cpuNanos = cpuNanos;
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
        used = threadCpu(time);
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
    Libc.clock_gettime(Libc.CLOCK_THREAD_CPUTIME_ID, time.address());
    return time.bytes().getLong(0) * 1_000_000_000L + time.bytes().getLong(8);
  }
}
