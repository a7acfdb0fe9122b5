package stackweave.live.loads;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import stackweave.lab.Sampling;
import stackweave.samples.lab.Variant;
import stackweave.samples.work.Round;

/**
 * Runs the chains of a library whose file is gone, as JNI libraries do that unpack themselves:
 * {@code DeletedLibraryApp CPU_SECONDS}.
 */
final class DeletedLibraryApp {

  private DeletedLibraryApp() {}

  public static void main(String[] args) throws Exception {
    Sampling.await();
    long end = cpuTime() + (long) (Double.parseDouble(args[0]) * 1e9);
    Path copy = Files.createTempFile("unpacked", ".so");
    Files.copy(Variant.library("lab-omitfp"), copy, StandardCopyOption.REPLACE_EXISTING);
    Variant variant = Variant.load("omitfp", copy);
    Files.delete(copy);
    Round chains = variant.phase("Chains");
    while (cpuTime() < end) {
      chains.run();
    }
    System.out.println(copy.getFileName());
  }

  private static long cpuTime() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
