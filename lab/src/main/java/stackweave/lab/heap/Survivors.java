package stackweave.lab.heap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.lab.Built;
import stackweave.testing.EventsByTime;
import stackweave.testing.Jdk;

/** Runs of {@link FullHeap} of one kind, and what became of them. Not thread-safe. */
final class Survivors {
  private static final String SAYS = "stackweave: ";

  private int count;
  private final Map<String, Integer> sampled = new TreeMap<>();

  /** How many ended as they should. */
  int count() {
    return count;
  }

  /** Whether these were sampled, or why not, with their numbers. */
  String sampled() {
    return sampled.entrySet().stream()
        .map(each -> each.getValue() + " × " + each.getKey())
        .collect(Collectors.joining("; "));
  }

  /** Runs one to its end, or for so many seconds. */
  void add(List<String> options, Jdk jdk, List<String> arguments, long longestSeconds)
      throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("heap");
    Path recording = directory.resolve("run.jfr");
    Path said = directory.resolve("out");
    List<String> command = new ArrayList<>(List.of(jdk.java().toString()));
    command.addAll(options);
    command.addAll(List.of("-XX:StartFlightRecording:filename=" + recording));
    command.addAll(List.of("-cp", Built.classes(), FullHeap.class.getName()));
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    if (!process.waitFor(longestSeconds, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    } else if (process.exitValue() == 0 && Files.readString(said).contains(FullHeap.DONE)) {
      count++;
      sampled.merge(sampled(EventsByTime.statuses(recording), said), 1, Integer::sum);
    }
    try (Stream<Path> left = Files.list(directory)) {
      for (Path file : left.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  /** By the agent's events, or by what it said when it did not begin; numbers stand as N. */
  private static String sampled(List<RecordedEvent> statuses, Path said) throws IOException {
    long taken = statuses.stream().mapToLong(status -> status.getLong("taken")).sum();
    List<String> notes =
        statuses.isEmpty()
            ? Files.readAllLines(said).stream()
                .filter(line -> line.startsWith(SAYS))
                .map(line -> line.substring(SAYS.length()))
                .toList()
            : statuses.stream().map(status -> status.getString("note")).toList();
    String note = notes.stream().filter(text -> !text.isEmpty()).reduce("", (a, b) -> b);
    return (taken > 0 ? "yes" : "no")
        + (note.isEmpty() ? "" : ": " + note.replaceAll("[0-9][0-9,.]*", "N"));
  }
}
