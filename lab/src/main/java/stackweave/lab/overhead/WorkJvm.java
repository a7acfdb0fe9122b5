package stackweave.lab.overhead;

import java.util.ArrayList;
import java.util.List;
import one.profiler.AsyncProfiler;
import stackweave.lab.CpuTime;
import stackweave.lab.overhead.app.Application;
import stackweave.lab.overhead.app.Units;

/**
 * Main class of a measured JVM. Arguments: the class of the application, its {@link Units}, the
 * number of threads or 0 for the application's own, the second from which on CPU time and units are
 * counted apart, and async-profiler's command if it is to sample, too. Begins to work when its
 * standard input ends. Prints in one line the units that were done, and of those since that second
 * the number and the CPU time of the process in ns.
 */
public final class WorkJvm {
  private WorkJvm() {}

  public static void main(String[] arguments) throws Exception {
    boolean async = arguments.length > 4;
    if (async) {
      AsyncProfiler.getInstance().execute(arguments[4]);
    }
    System.in.readAllBytes();
    Units units = Units.of(arguments[1]);
    Application application =
        (Application) Class.forName(arguments[0]).getDeclaredConstructor().newInstance();
    List<Thread> workers = start(application, Integer.parseInt(arguments[2]), units);
    Later later = new Later(units);
    later.await(workers, (long) (1e3 * Double.parseDouble(arguments[3])));
    for (Thread worker : workers) {
      worker.join();
    }
    String line = units.taken() + " " + later.since();
    if (async) {
      AsyncProfiler.getInstance().execute("stop");
    }
    System.out.println(line);
    System.exit(0);
  }

  /**
   * Starts the threads of an application.
   *
   * @param threads 0 for its own number
   */
  static List<Thread> start(Application application, int threads, Units units) {
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < application.threads(threads); i++) {
      int number = i;
      Thread worker = new Thread(() -> work(application, number, units), "worker-" + i);
      workers.add(worker);
      worker.start();
    }
    return workers;
  }

  /** What is done from some second on. */
  private static final class Later {
    private final Units units;
    private long unitsBefore;
    private long cpuBefore;

    Later(Units units) {
      this.units = units;
    }

    /** Waits for that second, if there is work until then. */
    void await(List<Thread> workers, long millis) throws InterruptedException {
      if (millis > 0) {
        workers.get(0).join(millis);
      }
      unitsBefore = units.taken();
      cpuBefore = CpuTime.ofProcess();
    }

    String since() {
      return units.taken() - unitsBefore + " " + (CpuTime.ofProcess() - cpuBefore);
    }
  }

  private static void work(Application application, int number, Units units) {
    try {
      application.work(number, units);
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1);
    }
  }
}
