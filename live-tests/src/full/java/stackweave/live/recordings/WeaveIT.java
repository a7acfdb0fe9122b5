package stackweave.live.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.jfr.read.ChunkList;
import stackweave.live.support.Jvms;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.EventsByTime;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;

/** The option {@code weave=on}: what leaves the JVM has every sample as one of JFR's own. */
@Order(2)
class WeaveIT {
  static final String[] SETTINGS =
      Stream.concat(
              Stream.of("+stackweave.NativeSample#interval=5ms"),
              Stream.of(Jvms.WITHOUT_JFR_SAMPLES))
          .toArray(String[]::new);

  /** What is not woven of the last chunk can't be counted in the recording that ends with it. */
  private static final long OF_A_CHUNK = 400;

  /**
   * Dumps, streams of the MBean, and the file at exit, while JFR changes its chunk all the time.
   */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void everyFileHasAllSamples(Jdk jdk) throws Exception {
    check(jdk, "1", List.of(jdk));
  }

  static void check(Jdk jdk, String seconds, List<Jdk> readers) throws Exception {
    ForkedJvm jvm =
        Jvms.withoutLibraries(jdk)
            .agent("weave=on")
            .recording(SETTINGS)
            .options("-XX:FlightRecorderOptions:maxchunksize=1M");
    Ended ended = jvm.run(WeavingApp.class.getName(), seconds, ".", "streams").successfully();
    System.out.println(jdk + ": " + ended.out());
    assertEquals(List.of(), ended.errLines());
    for (String stream : List.of("local", "remote")) {
      assertTrue(number(ended.out(), stream, "events") > 0, ended.out());
      assertEquals(0, number(ended.out(), stream, "errors"), ended.out());
      assertEquals(0, number(ended.out(), stream, "woven"), ended.out());
    }
    List<Path> files = recordings(jvm.directory());
    assertTrue(files.size() >= 3, files.toString());
    List<String> samples = WovenText.expected(ended.recording());
    assertTrue(samples.size() > 30, "only " + samples.size() + " samples");
    long missing = missing(files, readers);
    long counted = unwoven(ended.recording());
    assertTrue(missing <= counted + OF_A_CHUNK, missing + " not woven, " + counted + " counted");
    assertTrue(missing < 0.9 * samples.size(), missing + " of " + samples.size());
    boolean hasVirtual = samples.stream().anyMatch(each -> each.startsWith("virtual "));
    assertEquals(jdk.feature() >= 21, hasVirtual, "samples of virtual threads");
    assertTrue(ChunkList.scan(ended.recording()).chunks().size() > 10);
  }

  private static long number(String out, String stream, String what) {
    String end = out.substring(out.indexOf("streams at the end"));
    String of = end.substring(end.indexOf(stream));
    return Long.parseLong(of.replaceFirst("(?s).*?" + what + "=(\\d+).*", "$1"));
  }

  static List<Path> recordings(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(each -> each.toString().endsWith(".jfr")).sorted().toList();
    }
  }

  /**
   * By each of these JDKs' own readers, against our reader of the same file: no woven sample is
   * another.
   *
   * @return the most that are not woven in a file: where the drain thread had no CPU for long
   */
  static long missing(List<Path> files, List<Jdk> readers) throws Exception {
    long most = 0;
    for (Jdk reader : readers) {
      List<String> arguments = new ArrayList<>();
      for (Path file : files) {
        arguments.addAll(List.of(file.toString(), file + ".lines"));
      }
      Jvms.withoutLibraries(reader)
          .run(JdkText.class.getName(), arguments.toArray(String[]::new))
          .successfully();
      for (Path file : files) {
        List<String> lines = new ArrayList<>(Files.readAllLines(Path.of(file + ".lines")));
        assertEquals("0", lines.remove(0), "times of " + file + " by " + reader);
        Map<String, Integer> left = counts(WovenText.expected(file));
        List<String> others =
            lines.stream().filter(line -> left.merge(line, -1, Integer::sum) < 0).toList();
        assertEquals(List.of(), others, file + " by " + reader);
        most = Math.max(most, left.values().stream().mapToInt(count -> count).sum());
      }
      Path last = files.get(files.size() - 1);
      Commands.output(reader.home().resolve("bin/jfr"), "summary", last);
    }
    return most;
  }

  private static Map<String, Integer> counts(List<String> lines) {
    Map<String, Integer> counts = new HashMap<>();
    lines.forEach(line -> counts.merge(line, 1, Integer::sum));
    return counts;
  }

  static long unwoven(Path file) throws IOException {
    long unwoven = 0;
    for (RecordedEvent event : EventsByTime.statuses(file)) {
      unwoven += event.getLong("unwoven");
    }
    return unwoven;
  }
}
