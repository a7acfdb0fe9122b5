package stackweave.verify.it;

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
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.jfr.read.ChunkList;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.RunningCommand;
import stackweave.verify.weave.JdkText;
import stackweave.verify.weave.WeavingApp;
import stackweave.verify.weave.WovenText;

/** The option {@code weave=on}: what leaves the JVM has every sample as one of JFR's own. */
@Order(2)
class WeaveIT {
  private static final String[] SETTINGS =
      Stream.concat(
              Stream.of("+stackweave.NativeSample#interval=5ms"),
              Stream.of(Jvms.WITHOUT_JFR_SAMPLES))
          .toArray(String[]::new);

  /** What is not woven of the last chunk can't be counted in the recording that ends with it. */
  private static final long OF_A_CHUNK = 400;

  /** Of a recording in memory, on a busy machine. */
  private static final int DUMPS = 30;

  static Stream<Jdk> jdks() {
    return Jdks.all();
  }

  /**
   * Dumps, streams of the MBean, and the file at exit, while JFR changes its chunk all the time.
   */
  @ParameterizedTest
  @MethodSource("jdks")
  void everyFileHasAllSamples(Jdk jdk) throws Exception {
    ForkedJvm jvm =
        Jvms.withoutLibraries(jdk)
            .agent("weave=on")
            .recording(SETTINGS)
            .options("-XX:FlightRecorderOptions:maxchunksize=1M");
    Ended ended = jvm.run(WeavingApp.class.getName(), "3", ".", "streams").successfully();
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
    long missing = missing(files);
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

  private static List<Path> recordings(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(each -> each.toString().endsWith(".jfr")).sorted().toList();
    }
  }

  /**
   * By each JDK's own reader, against our reader of the same file: no woven sample is another.
   *
   * @return the most that are not woven in a file: where the drain thread had no CPU for long
   */
  private static long missing(List<Path> files) throws Exception {
    long most = 0;
    for (Jdk reader : Jdks.all().toList()) {
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

  private static long unwoven(Path file) throws IOException {
    long unwoven = 0;
    for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
      if (event.getEventType().getName().equals("stackweave.SamplerStatus")) {
        unwoven += event.getLong("unwoven");
      }
    }
    return unwoven;
  }

  /** A recording in memory that is dumped by jcmd. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void aDumpOfMemoryIsWoven(Jdk jdk) throws Exception {
    ForkedJvm jvm =
        Jvms.withoutLibraries(jdk)
            .agent("weave=on")
            .options(
                "-XX:StartFlightRecording:disk=false,name=memory," + String.join(",", SETTINGS),
                "-Xlog:jfr+startup=off");
    Path file = jvm.directory().resolve("memory.jfr");
    RunningCommand running = jvm.start(WeavingApp.class.getName(), "600", ".", "idle");
    try {
      while (!Files.readString(running.out()).contains("sampled")) {
        assertTrue(running.process().isAlive(), Files.readString(running.err()));
        Thread.sleep(100);
      }
      long woven = 0;
      for (int i = 0; i < DUMPS && woven < 30; i++) {
        Thread.sleep(2_000);
        Files.deleteIfExists(file);
        Commands.output(
            jdk.home().resolve("bin/jcmd"),
            Long.toString(running.pid()),
            "JFR.dump",
            "name=memory",
            "filename=" + file);
        woven = WovenText.expected(file).size() - missing(List.of(file));
      }
      assertTrue(woven >= 30, "only " + woven + " samples");
    } finally {
      running.kill();
    }
  }

  /** The hook finds no such method: JFR's files are as JFR writes them, and it is said. */
  @ParameterizedTest
  @MethodSource("ownJdks")
  void aJfrThatIsNotKnownIsLeftAlone(Jdk jdk) throws Exception {
    ForkedJvm jvm = Jvms.withoutLibraries(jdk);
    Path patch = RenamedJfr.patch(jdk, "finish", jvm.directory().resolve("jfr"));
    Ended ended =
        jvm.agent("weave=on")
            .recording(SETTINGS)
            .options("--patch-module", "jdk.jfr=" + patch, "-Xshare:off")
            .run(WeavingApp.class.getName(), "2", ".")
            .successfully();
    assertEquals(1, ended.errLines().size(), ended.err());
    String line = ended.errLines().get(0);
    assertTrue(line.startsWith("stackweave: samples are not woven into what this JVM "), line);
    List<Path> files = recordings(jvm.directory());
    assertTrue(files.size() > 1, files.toString());
    for (Path file : files) {
      Commands.output(jdk.home().resolve("bin/jfr"), "summary", file);
    }
    Stacks stacks = Stacks.of(ended.recording());
    assertTrue(stacks.samples().size() > 5, () -> "samples: " + stacks.status());
    long woven = 0;
    for (RecordedEvent event : RecordingFile.readAllEvents(ended.recording())) {
      woven += event.getEventType().getName().equals("jdk.ExecutionSample") ? 1 : 0;
    }
    assertEquals(0, woven);
    assertTrue(unwoven(ended.recording()) > 5, "not counted");
  }

  /** Whose classes can be read from here. */
  static Stream<Jdk> ownJdks() {
    return Jdks.all().filter(jdk -> Files.isRegularFile(jdk.home().resolve("lib/jrt-fs.jar")));
  }
}
