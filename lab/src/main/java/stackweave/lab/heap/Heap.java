package stackweave.lab.heap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import stackweave.lab.Built;
import stackweave.testing.Jdk;
import stackweave.testing.Markdown;

/** Counts which JVMs survive with little room in their heaps; the command {@code lab/heap}. */
@Command(
    name = "heap",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Runs a program that keeps most of its heap in use while it is recorded, with an empty agent"
          + " and with others, in turns, and prints how many runs survived, and whether they were"
          + " sampled."
    })
public final class Heap implements Callable<Integer> {
  /** The name of the agent that does nothing. */
  private static final String EMPTY = "empty";

  private static final String[] COLUMNS = {
    "JDK", ">heap, MiB", ">live, %", "collector", "agent", ">survived", "sampled"
  };

  @Option(names = "--jdk", description = "a JDK's directory; several are allowed; default: all")
  private List<Path> jdks = List.of();

  @Option(names = "--runs", description = "of each kind; default: ${DEFAULT-VALUE}")
  private int runs = 20;

  @Option(names = "--seconds", description = "of a run; default: ${DEFAULT-VALUE}")
  private double seconds = 5;

  @Option(
      names = "--before",
      description = "work so many seconds with an empty heap first; default: ${DEFAULT-VALUE}")
  private double before;

  @Option(names = "--heaps", split = ",", description = "in MiB; default: ${DEFAULT-VALUE}")
  private List<Integer> heaps = List.of(64, 96, 128, 256);

  @Option(
      names = "--live",
      split = ",",
      description = "percent of the heap that stays in use; default: ${DEFAULT-VALUE}")
  private List<Integer> live = List.of(60, 80, 90);

  @Option(
      names = "--collectors",
      split = ",",
      description = "where a JDK has them; default: ${DEFAULT-VALUE}")
  private List<String> collectors = List.of("Serial", "Parallel", "G1", "Shenandoah", "Z");

  @Option(
      names = "--agents",
      split = ",",
      paramLabel = "NAME=JAR[=OPTIONS]",
      description = "beside the empty one; default: the one that was built")
  private Map<String, String> agents =
      new LinkedHashMap<>(Map.of("Stackweave", Built.agentJar().toString()));

  @Option(
      names = "--flags",
      split = ",",
      description = "more options of the JVM; default: ${DEFAULT-VALUE}")
  private List<String> flags = List.of("-XX:+ExitOnOutOfMemoryError");

  @Option(
      names = "--out",
      description = "also append the rows to this file; what stands there is not run again")
  private Path out;

  /** The first cells of a row: what was run. */
  private record Kind(Jdk jdk, int heap, int live, String collector) {
    List<String> cells(String agent) {
      return List.of(jdk.version(), "" + heap, "" + live, collector, agent);
    }
  }

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Heap()).execute(arguments));
  }

  /** Ends with 1 if an agent's runs did not all survive where those with the empty one did. */
  @Override
  public Integer call() throws IOException, InterruptedException {
    Map<String, String> all = new LinkedHashMap<>();
    all.put(EMPTY, Built.emptyAgentJar().toString());
    all.putAll(agents);
    String done = out != null && Files.exists(out) ? Files.readString(out) : "";
    Markdown head = new Markdown();
    head.table(COLUMNS);
    say(head.toString().strip(), done.isEmpty());
    boolean good = true;
    for (Jdk jdk : Jdk.in(jdks)) {
      List<String> there = collectors.stream().filter(name -> has(jdk, name)).toList();
      for (int heap : heaps) {
        for (int percent : live) {
          for (String collector : there) {
            Kind kind = new Kind(jdk, heap, percent, collector);
            good &= isDone(kind, all, done) || run(kind, all);
          }
        }
      }
    }
    return good ? 0 : 1;
  }

  private static boolean isDone(Kind kind, Map<String, String> all, String done) {
    return all.keySet().stream()
        .allMatch(name -> done.contains(row(kind.cells(name)).stripTrailing()));
  }

  private static String row(List<String> cells) {
    Markdown row = new Markdown();
    row.row(cells.toArray(String[]::new));
    return row.toString();
  }

  private static boolean has(Jdk jdk, String collector) {
    try {
      return new ProcessBuilder(jdk.java().toString(), "-XX:+Use" + collector + "GC", "-version")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean run(Kind kind, Map<String, String> all) throws IOException, InterruptedException {
    List<String> turns = new ArrayList<>(all.keySet());
    Map<String, Survivors> survivors = new LinkedHashMap<>();
    all.keySet().forEach(name -> survivors.put(name, new Survivors()));
    for (int i = 0; i < runs; i++) {
      for (String name : turns) {
        survivors
            .get(name)
            .add(options(kind, all.get(name)), kind.jdk(), arguments(kind), longest());
      }
      Collections.rotate(turns, 1);
    }
    int alone = survivors.get(EMPTY).count();
    boolean good = true;
    for (String name : all.keySet()) {
      Survivors of = survivors.get(name);
      List<String> cells = new ArrayList<>(kind.cells(name));
      cells.add(of.count() + " of " + runs);
      cells.add(of.sampled());
      say(row(cells).strip(), true);
      good &= alone < runs || of.count() == runs;
    }
    return good;
  }

  private List<String> options(Kind kind, String agent) {
    List<String> options = new ArrayList<>(flags);
    options.add("-Xmx" + kind.heap() + "m");
    options.add("-XX:+Use" + kind.collector() + "GC");
    options.add("-javaagent:" + agent);
    return options;
  }

  private List<String> arguments(Kind kind) {
    List<String> arguments = new ArrayList<>();
    arguments.add("" + kind.heap() * kind.live() / 100.0);
    arguments.add("" + seconds);
    if (before > 0) {
      arguments.add("" + before);
    }
    return arguments;
  }

  /** A JVM that collects garbage all the time is slow, and no survivor either after so long. */
  private long longest() {
    return 30 + (long) (10 * (seconds + before));
  }

  private void say(String line, boolean keep) throws IOException {
    System.out.println(line);
    if (out != null && keep) {
      Files.writeString(out, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }
}
