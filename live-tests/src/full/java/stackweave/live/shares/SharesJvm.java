package stackweave.live.shares;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import stackweave.lab.CpuTime;
import stackweave.lab.Sampling;
import stackweave.samples.work.AgentThread;

/** Main class of the JVM that is sampled. */
final class SharesJvm {
  /** Until the agent's own code is compiled. */
  private static final long WARM_MILLIS = 5_000;

  private SharesJvm() {}

  /** Arguments: the file for what the threads have used, and how long they run, in ms. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Loads loads = new Loads();
    Sampling.await();
    Thread.sleep(WARM_MILLIS);
    long now = System.nanoTime();
    long zero = System.currentTimeMillis() * 1_000_000 - now;
    long before = CpuTime.ofProcess() - AgentThread.cpuNanos();
    loads.run(Long.parseLong(arguments[1]));
    long used = CpuTime.ofProcess() - AgentThread.cpuNanos() - before;
    List<String> lines = new ArrayList<>();
    lines.add(zero + "\t" + now + "\t" + System.nanoTime() + "\t" + used);
    lines.addAll(loads.lines());
    Files.write(Path.of(arguments[0]), lines);
    System.exit(0);
  }
}
