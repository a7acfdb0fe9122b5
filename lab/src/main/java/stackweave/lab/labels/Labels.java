package stackweave.lab.labels;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import stackweave.lab.Built;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.Markdown;

/**
 * Says which share of samples has the right label, none, or a wrong one, by engine, JDK, kind of
 * thread and length of requests. {@code lab/labels} runs it. Argument: seconds of each run.
 */
public final class Labels {
  private static final List<Integer> REQUEST_MILLIS = List.of(1, 10, 100);
  private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

  private static final int THREADS = 2 * Runtime.getRuntime().availableProcessors();

  private Labels() {}

  public static void main(String[] arguments) throws IOException {
    long millis = 1_000 * Long.parseLong(arguments[0]);
    Path directory = Files.createTempDirectory("labels");
    Markdown table = new Markdown();
    table.table(
        "JDK",
        "engine",
        "threads",
        ">request, ms",
        ">samples in jobs",
        ">right, %",
        ">none, %",
        ">wrong",
        ">outside of jobs",
        ">unknown");
    for (Jdk jdk : Jdk.all()) {
      for (String engine : List.of("perf", "timer")) {
        for (String kind : List.of("platform", "virtual")) {
          for (int request : REQUEST_MILLIS) {
            if (kind.equals("platform") || jdk.feature() >= FIRST_WITH_VIRTUAL_THREADS) {
              row(
                  table,
                  jdk,
                  kind,
                  request,
                  run(jdk, directory, engine, millis, request, THREADS, kind));
            }
          }
        }
      }
    }
    System.out.println(table);
    System.err.println("recordings are in " + directory);
  }

  private static void row(Markdown table, Jdk jdk, String kind, int request, LabelTally tally) {
    long jobs = tally.right() + tally.none() + tally.wrong();
    table.row(
        "" + jdk.feature(),
        tally.engine(),
        kind,
        "" + request,
        "" + jobs,
        percent(tally.right(), jobs),
        percent(tally.none(), jobs),
        "" + tally.wrong(),
        "" + tally.outside(),
        "" + tally.unknown());
    tally.wrongOnes().forEach(System.err::println);
  }

  private static String percent(long part, long whole) {
    return String.format(Locale.ROOT, "%.2f", whole == 0 ? 0 : 100.0 * part / whole);
  }

  /**
   * Runs the service in a JVM of its own and compares its labels.
   *
   * @param kinds {@code platform} or {@code virtual}, or both with a blank between
   */
  public static LabelTally run(
      Jdk jdk,
      Path directory,
      String engine,
      long millis,
      int requestMillis,
      int threads,
      String kinds)
      throws IOException {
    String[] kind = kinds.split(" ");
    String[] arguments = new String[3 + kind.length];
    arguments[0] = "" + millis;
    arguments[1] = "" + 1_000 * requestMillis;
    arguments[2] = "" + threads;
    System.arraycopy(kind, 0, arguments, 3, kind.length);
    return LabelTally.of(
        ForkedJvm.on(jdk, Files.createTempDirectory(directory, "run"))
            .agent("engine=" + engine, "interval=1ms")
            .recording()
            .classPath(Built.classes() + ":" + Built.labels())
            .run(LabelledService.class.getName(), arguments)
            .successfully()
            .recording());
  }
}
