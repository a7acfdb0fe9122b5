package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeEach;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.SessionFacts;
import stackweave.testing.FlamePageNames;
import stackweave.testing.RunningCommand;

/** JVMs that {@code record} samples from outside, and where it has the samples meanwhile. */
abstract class OutsideRecorded extends RecordedProgram {
  /** The function of {@code BurnsCpu} that takes the time. */
  static final String BURN = "BurnsCpu.burn";

  /** Where the command has the samples until the recording's end. */
  Path own;

  @BeforeEach
  void onlyRootSamplesOthers() throws IOException {
    assumeTrue(isRoot());
    own = Files.createDirectory(directory.resolve("tmp of the command"));
  }

  /** Records until samples of the program are written. */
  RunningCommand outside(Object... arguments) throws Exception {
    return begin(List.of(), arguments);
  }

  RunningCommand begin(List<String> wrapper, Object... arguments) throws Exception {
    List<Object> words = new ArrayList<>(wrapper);
    words.addAll(List.of(java(), "-Djava.io.tmpdir=" + own));
    words.addAll(List.of("-jar", Jars.AGENT));
    words.addAll(Arrays.asList(arguments));
    return beginAny(words.toArray());
  }

  static Path java() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }

  void awaitOwnSamples(RunningCommand command) throws Exception {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (!isAnySampled(command.pid())) {
      if (!command.process().isAlive() || System.nanoTime() > end) {
        throw new AssertionError("no samples: " + Files.readString(command.err()));
      }
      Thread.sleep(100);
    }
  }

  /** Whether a file that the command has open, without a name, has samples. */
  boolean isAnySampled(long command) throws Exception {
    try (Stream<Path> files = Files.list(Path.of("/proc/" + command + "/fd"))) {
      for (Path file : files.toList()) {
        String opened = Files.readSymbolicLink(file).toString();
        if (opened.matches(".*/(#\\d+|stackweave-\\d+[.]jfr) [(]deleted[)]") && isSampled(file)) {
          return true;
        }
      }
    } catch (IOException | RecordingException e) {
      return false; // it is being written, or closed
    }
    return false;
  }

  /** Those in the directory for temporary files: none, unless the result can't be written. */
  long namedRecordings() throws IOException {
    try (Stream<Path> files = Files.list(own)) {
      return files.filter(file -> file.toString().endsWith(".jfr")).count();
    }
  }

  static Map<String, Integer> events(Path recording) throws IOException {
    Map<String, Integer> events = new TreeMap<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(recording)) {
      events.merge(event.getEventType().getName(), 1, Integer::sum);
    }
    return events;
  }

  SessionFacts facts(String recording) throws RecordingException {
    return SampledRecording.open(directory.resolve(recording)).sessions().get(0);
  }

  /** What the command left where it was called. */
  TreeSet<String> files() throws Exception {
    try (Stream<Path> all = Files.list(directory)) {
      return all.map(file -> file.getFileName().toString())
          .filter(file -> !file.matches("(out|err)\\d+\\.txt|target\\.txt|tmp of .*"))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  void assertPage(String file) throws Exception {
    String page = Files.readString(directory.resolve(file));
    assertTrue(FlamePageNames.of(page).stream().anyMatch(n -> n.endsWith(BURN)), file);
  }
}
