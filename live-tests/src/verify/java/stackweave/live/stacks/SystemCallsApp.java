package stackweave.live.stacks;

import java.io.File;
import stackweave.lab.Sampling;

/** Makes system calls: {@code SystemCallsApp CPU_MILLIS}. */
final class SystemCallsApp {
  private SystemCallsApp() {}

  public static void main(String[] args) throws Exception {
    Sampling.await();
    File file = new File("/proc/self/status");
    long end = Sampling.cpuNanos() + Long.parseLong(args[0]) * 1_000_000;
    long found = 0;
    while (Sampling.cpuNanos() < end) {
      found += file.exists() ? 1 : 0;
    }
    System.out.println("calls " + found);
  }
}
