package stackweave.live.harm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import jdk.jfr.Recording;
import stackweave.lab.Sampling;

/**
 * All storms, one after the other: {@code Storms SECONDS}, where the storms that last take so many
 * seconds each; with fewer than {@value #SECONDS}, threads that end and libraries are fewer, too.
 *
 * <p>Prints a line for each: what was done, and what the process has and the agent's thread has
 * used then. Ends with exit code 1 where a result of the application is not what it must be.
 */
final class Storms {
  /** The names of the storms, in their order. */
  static final List<String> NAMES =
      List.of("live-threads", "short-threads", "libraries", "classes", "calm");

  private static final double SECONDS = 2;
  private static final int THREADS = 5_000;
  private static final int LIBRARIES = 2_000;

  private Storms() {}

  /** A storm; returns a text about what it did. */
  private interface Storm {
    String run() throws Exception;
  }

  public static void main(String[] args) throws Exception {
    double seconds = Double.parseDouble(args[0]);
    Sampling.await();
    for (String name : NAMES) {
      Vitals before = Vitals.now();
      String done = storm(name, seconds).run();
      Vitals.line(name, done + "; " + Vitals.now().since(before));
    }
  }

  private static Storm storm(String name, double seconds) {
    double share = Math.min(1, seconds / SECONDS);
    return switch (name) {
      case "live-threads" -> () -> liveThreads(seconds);
      case "short-threads" -> () -> ThreadStorm.ended((int) (THREADS * share));
      case "libraries" -> () -> libraries((int) (LIBRARIES * share));
      case "classes" -> () -> new ClassStorm(seconds).run();
      case "calm" -> () -> calm(seconds);
      default -> throw new IllegalArgumentException(name);
    };
  }

  /**
   * Sampling starts again while they live, because a second recording asks for a shorter interval.
   */
  private static String liveThreads(double seconds) throws Exception {
    try (ThreadStorm.Alive alive = ThreadStorm.start(THREADS);
        Recording faster = new Recording()) {
      faster.enable("stackweave.NativeSample").with("interval", "5 ms");
      faster.start();
      Spin.forSeconds(seconds, "while-all-live");
      alive.end();
    }
    return THREADS + " threads alive at once";
  }

  private static String libraries(int count) throws IOException, InterruptedException {
    try (LibraryStorm storm = new LibraryStorm(Path.of("storm-libraries"))) {
      return storm.load(count);
    }
  }

  /** Samples after the storms must be as complete as before. */
  private static String calm(double seconds) throws InterruptedException {
    Thread.sleep(1_000); // the agent catches up
    long turns = Spin.forSeconds(seconds, "calm");
    return String.format(Locale.ROOT, "%d turns", turns);
  }
}
