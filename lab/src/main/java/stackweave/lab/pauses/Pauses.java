package stackweave.lab.pauses;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import stackweave.testing.Jdk;
import stackweave.testing.Markdown;

/**
 * Measures, and prints as tables, the pauses that changes of Thread make (by the VM's own log of
 * safepoints) and how long a JVM takes from System.exit to its end. {@code lab/pauses} runs it.
 */
public final class Pauses {
  private static final Pattern CHANGE =
      Pattern.compile("Safepoint \"RedefineClasses\".*Total:\\s*(\\d+) ns");
  private static final Pattern EXIT = Pattern.compile("exits (\\d+) \\d+");
  private static final int[] CLASSES = {2_000, 10_000, 40_000};
  private static final int RECORDINGS = 3;
  private static final int EXITS = 3;

  private final Path agent;
  private final String classPath;
  private final Path directory;
  private final Markdown tables = new Markdown();

  private Pauses(Path agent, String classPath, Path directory) {
    this.agent = agent;
    this.classPath = classPath;
    this.directory = directory;
  }

  /** Arguments: the agent's jar, and the homes of JDKs; without these, those of the machine. */
  public static void main(String[] args) throws Exception {
    Path agent = Path.of(args[0]).toAbsolutePath();
    List<Path> javas =
        args.length > 1
            ? Arrays.stream(args).skip(1).map(home -> Path.of(home, "bin", "java")).toList()
            : Jdk.all().stream().map(Jdk::java).toList();
    Path directory = Files.createTempDirectory("pauses");
    Pauses pauses = new Pauses(agent, System.getProperty("java.class.path"), directory);
    pauses.changes(javas);
    pauses.exits(javas);
    System.out.println(pauses.tables);
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  private void changes(List<Path> javas) throws Exception {
    tables.table("java", ">classes", "pauses over " + RECORDINGS + " recordings, in ms");
    for (Path java : javas) {
      for (int classes : CLASSES) {
        Path log = directory.resolve("safepoints.log");
        List<String> command =
            command(
                java,
                List.of(
                    "-javaagent:" + agent + "=engine=timer", "-Xlog:safepoint=info:file=" + log));
        command.addAll(List.of(Integer.toString(classes), Integer.toString(RECORDINGS), "false"));
        run(command);
        tables.row(name(java), "%,d".formatted(classes), pausesOf(log));
        Files.delete(log);
      }
    }
  }

  /** The pauses for changes of a class, in their order. */
  private static String pausesOf(Path log) throws IOException {
    return Files.readAllLines(log).stream()
        .map(CHANGE::matcher)
        .filter(Matcher::find)
        .map(change -> String.format("%.1f", Long.parseLong(change.group(1)) / 1e6))
        .collect(Collectors.joining(", "));
  }

  private void exits(List<Path> javas) throws Exception {
    tables.table("java", "", "from System.exit to the JVM's end, in ms");
    for (Path java : javas) {
      tables.row(name(java), "JFR alone", exitsOf(java, null));
      for (String engine : List.of("perf", "timer")) {
        tables.row(name(java), "sampled at 1 kHz, " + engine, exitsOf(java, engine));
      }
    }
  }

  private String exitsOf(Path java, String engine) throws Exception {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < EXITS; i++) {
      List<String> command =
          command(
              java,
              engine == null ? List.of() : List.of("-javaagent:" + agent + "=engine=" + engine));
      command.addAll(List.of("1", "1", "true"));
      if (!"timer".equals(engine)) {
        command.add("no timers to wait for");
      }
      Ended ended = run(command);
      Matcher exit = EXIT.matcher(ended.out());
      if (!exit.find()) {
        throw new IOException("no exit in: " + ended.out());
      }
      all.add(String.format("%.0f", (ended.nanos() - Long.parseLong(exit.group(1))) / 1e6));
    }
    return String.join(", ", all);
  }

  private List<String> command(Path java, List<String> options) {
    List<String> command = new ArrayList<>(List.of(java.toString(), "-Xlog:jfr+startup=off"));
    command.addAll(options);
    command.addAll(List.of("-cp", classPath, RecordedApp.class.getName()));
    return command;
  }

  /** A JVM's output, and when it had ended, by System.nanoTime, which is the machine's clock. */
  private record Ended(String out, long nanos) {}

  private Ended run(List<String> command) throws Exception {
    Path out = directory.resolve("out");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    boolean ended = process.waitFor(5, TimeUnit.MINUTES);
    long nanos = System.nanoTime();
    if (!ended || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IOException(String.join(" ", command) + ": " + Files.readString(out));
    }
    return new Ended(Files.readString(out), nanos);
  }

  private static String name(Path java) {
    return java.getParent().getParent().getFileName().toString();
  }
}
