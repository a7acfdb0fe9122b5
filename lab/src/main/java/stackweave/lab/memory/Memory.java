package stackweave.lab.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import stackweave.lab.Built;
import stackweave.lab.memory.LeakingService.Way;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.Markdown;
import stackweave.testing.RunningCommand;

/**
 * Runs {@link LeakingService}, records it by the command {@code record}, and compares the amounts
 * that {@code collapsed} has of each way to leak with what the program says. {@code lab/memory}
 * runs it. Arguments: seconds of leaking, KiB a second of each way, then ways; all at once if none
 * is named.
 */
public final class Memory {
  private static final int PATIENCE_SECONDS = 120;

  /** The recording begins a moment before the program knows it, and ends behind it. */
  private static final int AROUND_SECONDS = 8;

  private Memory() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("memory");
    Markdown table = new Markdown();
    table.table(
        "JDK", "engine", "way", ">leaked, KiB", ">`--native-memory`", ">`--native-allocations`");
    for (Jdk jdk : Jdk.all()) {
      for (String engine : List.of("perf", "timer")) {
        run(table, jdk, engine, Files.createTempDirectory(directory, "run"), arguments);
      }
    }
    System.out.println(table);
    System.err.println("recordings are in " + directory);
  }

  private static void run(
      Markdown table, Jdk jdk, String engine, Path directory, String... arguments)
      throws IOException, InterruptedException {
    RunningCommand service =
        ForkedJvm.on(jdk, directory)
            .classPath(Built.classes())
            .options("--add-exports", "java.base/jdk.internal.vm=ALL-UNNAMED")
            .start(LeakingService.class.getName(), arguments);
    Path recording = directory.resolve("rec.jfr");
    Map<Way, Long> truth;
    try {
      await(service, LeakingService.READY);
      Ended recorded =
          command(
              jdk,
              "record",
              service.pid(),
              "-d",
              Integer.parseInt(arguments[0]) + AROUND_SECONDS + "s",
              "--engine",
              engine,
              "--native-memory",
              "--native-allocations",
              "-o",
              recording);
      System.err.println(jdk + ", " + engine + "\n" + recorded.out() + recorded.err());
      truth = await(service, LeakingService.END);
    } finally {
      service.kill();
    }
    Map<String, Long> touched = stacks(jdk, recording, "--native-memory");
    Map<String, Long> allocated = stacks(jdk, recording, "--native-allocations");
    truth.forEach(
        (way, bytes) ->
            table.row(
                "" + jdk.feature(),
                engine,
                way.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                "" + (bytes >> 10),
                "" + (sum(touched, way) >> 10),
                "" + (sum(allocated, way) >> 10)));
  }

  /** Waits for a line of the service; returns what it says of the ways. */
  private static Map<Way, Long> await(RunningCommand service, String line)
      throws IOException, InterruptedException {
    for (int i = 0; i < 10 * PATIENCE_SECONDS; i++) {
      List<String> lines = Files.readAllLines(service.out());
      if (lines.contains(line)) {
        return parse(lines);
      }
      Thread.sleep(100);
    }
    throw new IllegalStateException("the service does not say " + line);
  }

  private static Map<Way, Long> parse(List<String> lines) {
    Map<Way, Long> bytes = new EnumMap<>(Way.class);
    for (String line : lines) {
      String[] words = line.split(" ");
      if (words.length == 2) {
        bytes.put(Way.valueOf(words[0]), Long.parseLong(words[1]));
      }
    }
    return bytes;
  }

  private static Ended command(Jdk jdk, Object... arguments)
      throws IOException, InterruptedException {
    List<Object> words = new ArrayList<>(ForkedJvm.agentCommand(jdk, arguments));
    return Commands.run(words.toArray());
  }

  /** Bytes by stack; none if the recording has none. */
  private static Map<String, Long> stacks(Jdk jdk, Path recording, String option)
      throws IOException, InterruptedException {
    Map<String, Long> stacks = new HashMap<>();
    for (String line : command(jdk, "collapsed", option, "-o", "-", recording).outLines()) {
      int blank = line.lastIndexOf(' ');
      if (blank > 0) {
        stacks.merge(
            line.substring(0, blank), Long.parseLong(line.substring(blank + 1)), Long::sum);
      }
    }
    return stacks;
  }

  private static long sum(Map<String, Long> stacks, Way way) {
    return stacks.entrySet().stream()
        .filter(stack -> stack.getKey().contains(way.frame()))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }
}
