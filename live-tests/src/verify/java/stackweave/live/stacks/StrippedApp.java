package stackweave.live.stacks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import stackweave.lab.Sampling;

/**
 * Extracts a library to a temporary file and works in it, as Java libraries with native code do:
 * {@code StrippedApp LIBRARY CPU_SECONDS}. Prints where it was loaded from.
 */
final class StrippedApp {
  private StrippedApp() {}

  static native long run(long seed, int work);

  public static void main(String[] args) throws IOException, InterruptedException {
    Sampling.await();
    Path extracted = Files.createTempFile("libstripped", ".so");
    Files.copy(Path.of(args[0]), extracted, StandardCopyOption.REPLACE_EXISTING);
    System.load(extracted.toString());
    Files.delete(extracted);
    long end = cpuTime() + (long) (Double.parseDouble(args[1]) * 1e9);
    long result = 0;
    while (cpuTime() < end) {
      result = run(result, 20_000);
    }
    System.out.println(extracted);
  }

  private static long cpuTime() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
