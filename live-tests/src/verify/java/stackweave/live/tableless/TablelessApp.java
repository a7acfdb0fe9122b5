package stackweave.live.tableless;

import java.io.IOException;
import java.nio.file.Path;
import stackweave.lab.Sampling;

/**
 * Spends CPU time in native code whose unwind tables are missing or not enough: {@code TablelessApp
 * LIBRARY SYNCHRONOUS CPU_SECONDS}.
 */
final class TablelessApp {
  private TablelessApp() {}

  static native long run(int rounds);

  static native long runSynchronous(int rounds);

  public static void main(String[] args) throws IOException, InterruptedException {
    Sampling.await();
    System.load(Path.of(args[0]).toString());
    System.load(Path.of(args[1]).toString());
    long end = Sampling.cpuNanos() + (long) (Double.parseDouble(args[2]) * 1e9);
    long result = 0;
    while (Sampling.cpuNanos() < end) {
      result += run(20_000) + runSynchronous(200_000);
    }
    System.out.println(result);
  }
}
