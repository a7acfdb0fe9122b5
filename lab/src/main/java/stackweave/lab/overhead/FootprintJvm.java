package stackweave.lab.overhead;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import stackweave.lab.CpuTime;
import stackweave.lab.Kibibytes;
import stackweave.lab.overhead.MeasuredJvm.Plan;

/**
 * Main class of a JVM that stays in one state: the workers work, it is sampled or not, and at the
 * end it prints how much memory it uses.
 */
final class FootprintJvm {
  /** Before sampling starts, as in a service that has been running. */
  private static final long WARM_UP_MILLIS = 2_000;

  private FootprintJvm() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Plan plan = Plan.of(arguments);
    WindowKind kind = plan.kinds().get(0);
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      workers.add(new Worker(i));
    }
    workers.forEach(Worker::start);
    Thread.sleep(WARM_UP_MILLIS);
    Profiling profiling = new Profiling(plan.intervalNanos(), plan.engine(), plan.agent(), workers);
    long others = CpuTime.ofProcess() - workerNanos(workers);
    boolean profiled = kind.samples();
    if (profiled) {
      profiling.start(kind, plan.directory().resolve("footprint.jfr"));
    }
    Thread.sleep((long) (1_000 * plan.seconds()));
    others = CpuTime.ofProcess() - workerNanos(workers) - others;
    long rss = Kibibytes.in(Path.of("/proc/self/status"), "VmRSS:");
    long pss = Kibibytes.in(Path.of("/proc/self/smaps_rollup"), "Pss:");
    System.gc();
    long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1024;
    if (profiled) {
      profiling.stop(kind);
    }
    System.out.println(rss + "," + pss + "," + heap + "," + others);
    System.exit(0);
  }

  private static long workerNanos(List<Worker> workers) {
    return workers.stream().mapToLong(Worker::cpuNanos).sum();
  }
}
