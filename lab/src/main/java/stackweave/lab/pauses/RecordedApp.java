package stackweave.lab.pauses;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;

/**
 * An application of many classes that is recorded some times: {@code CLASSES RECORDINGS BUSY}. With
 * {@code BUSY}, as many threads as there are CPUs make deep stacks, and it ends, by System.exit, in
 * the middle of its last recording; it says when, on the clock of System.nanoTime. A fourth
 * argument says that there is no agent to wait for.
 */
public final class RecordedApp {
  private static final int DEPTH = 500;
  private static final long MAX_MILLIS = 300_000;

  private RecordedApp() {}

  public static void main(String[] args) throws Exception {
    List<Class<?>> classes = ManyClasses.load(Integer.parseInt(args[0]));
    int recordings = Integer.parseInt(args[1]);
    boolean busy = Boolean.parseBoolean(args[2]);
    boolean sampled = args.length < 4;
    for (int cpu = 0; busy && cpu < Runtime.getRuntime().availableProcessors(); cpu++) {
      Thread thread = new Thread(() -> work(DEPTH), "busy-" + cpu);
      thread.setDaemon(true);
      thread.start();
    }
    for (int i = 0; i < recordings; i++) {
      try (Recording recording = new Recording()) {
        recording.enable("stackweave.NativeSample").with("interval", busy ? "1ms" : "10ms");
        recording.setDestination(Path.of("app-" + ProcessHandle.current().pid() + ".jfr"));
        recording.start();
        for (long t = 0; sampled && !isSampled() && t < MAX_MILLIS; t += 10) {
          Thread.sleep(10);
        }
        Thread.sleep(1_000);
        if (busy && i == recordings - 1) {
          System.out.println("exits " + System.nanoTime() + " " + classes.size());
          System.exit(0);
        }
      }
      for (long t = 0; isSampled() && t < MAX_MILLIS; t += 10) {
        Thread.sleep(10);
      }
      Thread.sleep(500);
    }
    System.out.println("recorded " + classes.size());
  }

  private static boolean isSampled() throws Exception {
    return Files.readString(Path.of("/proc/self/timers")).contains("signal/tid.");
  }

  private static long work(int depth) {
    if (depth > 0) {
      return work(depth - 1) + 1;
    }
    long sum = 0;
    for (long i = 1; i != 0; i++) {
      sum += i ^ sum;
    }
    return sum;
  }
}
