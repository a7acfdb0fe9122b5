package stackweave.verify.it;

import java.io.File;

/** Makes system calls for some seconds of sampled time. */
final class SystemCallsApp {
  private SystemCallsApp() {}

  public static void main(String[] args) throws Exception {
    Sampling.await();
    File file = new File("/proc/self/status");
    long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
    long found = 0;
    while (System.nanoTime() < end) {
      found += file.exists() ? 1 : 0;
    }
    System.out.println("calls " + found);
  }
}
