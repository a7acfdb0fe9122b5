package stackweave.verify.cold;

import java.util.ArrayList;
import java.util.List;
import one.profiler.AsyncProfiler;
import stackweave.verify.cold.app.Application;

/**
 * Main class of a measured JVM: as many threads as there are CPUs work for some seconds. Arguments:
 * the class of the application, the seconds, and async-profiler's command if it is to sample, too.
 */
final class ColdJvm {
  private ColdJvm() {}

  public static void main(String[] arguments) throws Exception {
    long end = System.nanoTime() + (long) (1e9 * Double.parseDouble(arguments[1]));
    boolean async = arguments.length > 2;
    if (async) {
      AsyncProfiler.getInstance().execute(arguments[2]);
    }
    Application application =
        (Application) Class.forName(arguments[0]).getDeclaredConstructor().newInstance();
    List<Thread> workers = new ArrayList<>();
    long[] done = new long[Runtime.getRuntime().availableProcessors()];
    for (int i = 0; i < done.length; i++) {
      int number = i;
      Thread worker = new Thread(() -> work(application, number, end, done), "worker-" + i);
      workers.add(worker);
      worker.start();
    }
    long all = 0;
    for (int i = 0; i < done.length; i++) {
      workers.get(i).join();
      all += done[i];
    }
    if (async) {
      AsyncProfiler.getInstance().execute("stop");
    }
    System.out.println(all);
    System.exit(0);
  }

  private static void work(Application application, int number, long end, long[] done) {
    try {
      done[number] = application.work(number, end);
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1);
    }
  }
}
