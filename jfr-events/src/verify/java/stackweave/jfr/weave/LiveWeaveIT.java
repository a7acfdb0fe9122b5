package stackweave.jfr.weave;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jmc.common.IMCStackTrace;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.IMemberAccessor;
import org.openjdk.jmc.common.item.ItemFilters;
import org.openjdk.jmc.common.unit.IQuantity;
import org.openjdk.jmc.flightrecorder.JfrAttributes;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;
import stackweave.jfr.Programs;
import stackweave.jfr.read.ChunkList;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.weave.live.LiveWeave;
import stackweave.testing.Commands;
import stackweave.testing.Jdk;

/** Samples that are woven as they come, as our reader and others have them. */
@Tag("slow")
class LiveWeaveTest {
  private static final int SAMPLES = 500;
  private static final int ALL = LiveProgram.CHUNKS * SAMPLES;

  @TempDir private Path directory;

  static List<Jdk> jdks() {
    return Jdk.all();
  }

  private Programs.Outcome record(Jdk jdk, Path file, int schema, String flags) throws Exception {
    Programs.Outcome outcome =
        Programs.java(
            jdk,
            List.of(LiveProgram.OPEN, "-XX:TieredStopAtLevel=1"),
            LiveProgram.class,
            List.of(file.toString(), "" + schema, "" + SAMPLES, flags));
    assertEquals(0, outcome.exit(), outcome.output());
    assertEquals(0, outcome.number("changed"), outcome.output());
    return outcome;
  }

  private List<List<String>> read(Jdk reader, Path file) throws Exception {
    Path samples = directory.resolve("samples");
    Path others = directory.resolve("others");
    Programs.Outcome outcome =
        Programs.java(
            reader,
            List.of("-XX:TieredStopAtLevel=1"),
            TraceText.class,
            List.of(file.toString(), samples.toString(), others.toString()));
    assertEquals(0, outcome.exit(), outcome.output());
    assertEquals("", outcome.output());
    return List.of(TraceText.lines(samples), TraceText.lines(others));
  }

  /** Every sample, in every chunk, with its thread and its stack; and all other events. */
  @ParameterizedTest
  @MethodSource("jdks")
  void everySampleIsWhatOurReaderHas(Jdk jdk) throws Exception {
    for (int schema = 1; schema <= 2; schema++) {
      Path file = directory.resolve("live" + schema + ".jfr");
      Programs.Outcome outcome = record(jdk, file, schema, "");
      assertEquals(0, outcome.number("unwoven"), outcome.output());
      assertEquals(0, outcome.number("named"));
      List<String> expected = TraceText.expected(file);
      assertEquals(ALL, expected.size());
      assertEquals(2 * LiveProgram.CHUNKS, ChunkList.scan(file).chunks().size());
      if (schema == 1) {
        assertSame(expected, read(jdk, file).get(0), jdk + ", schema 1");
        continue;
      }
      for (Jdk reader : jdks()) {
        assertSame(expected, read(reader, file).get(0), jdk + " by " + reader);
      }
      List<String> withoutThread = expected.stream().map(OtherToolsTest::withoutThread).toList();
      assertSame(withoutThread, missionControl(file), "JMC");
      String summary = Commands.output(jdk.home().resolve("bin/jfr"), "summary", file);
      assertTrue(summary.contains("Chunks: " + 2 * LiveProgram.CHUNKS), summary);
    }
  }

  /** JDKs give a chunk's clock to the next one, so times differ by less than this, in ns. */
  private static final long CLOCK_NANOS = 10_000;

  /** The same threads and stacks, each at the same times. */
  private static void assertSame(List<String> expected, List<String> found, String what) {
    Map<String, List<Long>> times = times(expected);
    Map<String, List<Long>> others = times(found);
    assertEquals(times.keySet(), others.keySet(), what);
    for (Map.Entry<String, List<Long>> each : times.entrySet()) {
      List<Long> of = others.get(each.getKey());
      assertEquals(each.getValue().size(), of.size(), what + " " + each.getKey());
      for (int i = 0; i < of.size(); i++) {
        long off = Math.abs(each.getValue().get(i) - of.get(i));
        assertTrue(off < CLOCK_NANOS, what + " is off by " + off + ": " + each.getKey());
      }
    }
  }

  private static Map<String, List<Long>> times(List<String> lines) {
    Map<String, List<Long>> times = new HashMap<>();
    for (String line : lines) {
      int space = line.indexOf(' ');
      times
          .computeIfAbsent(line.substring(space), key -> new ArrayList<>())
          .add(Long.parseLong(line.substring(0, space)));
    }
    times.values().forEach(Collections::sort);
    return times;
  }

  private static List<String> missionControl(Path file) throws Exception {
    List<String> found = new ArrayList<>();
    for (IItemIterable items :
        JfrLoaderToolkit.loadEvents(file.toFile()).apply(ItemFilters.type("jdk.ExecutionSample"))) {
      IMemberAccessor<IMCStackTrace, IItem> trace =
          JfrAttributes.EVENT_STACKTRACE.getAccessor(items.getType());
      var thread = JfrAttributes.EVENT_THREAD.getAccessor(items.getType());
      IMemberAccessor<IQuantity, IItem> time =
          JfrAttributes.START_TIME.getAccessor(items.getType());
      for (IItem item : items) {
        found.add(
            OtherToolsTest.line(
                time.getMember(item), thread.getMember(item), trace.getMember(item)));
      }
    }
    return found;
  }

  /** A disk that is full, or a file that is not as JFR leaves it, and all goes on. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void whatCantBeWrittenLeavesTheFileAsItWas(Jdk jdk) throws Exception {
    for (String flags : List.of("full", "unknown")) {
      Path file = directory.resolve(flags + ".jfr");
      Programs.Outcome outcome = record(jdk, file, 2, flags);
      assertEquals(0, outcome.number("grown then"), outcome.output());
      assertEquals(SAMPLES, outcome.number("unwoven"), outcome.output());
      assertTrue(outcome.output().contains("note in between=not woven: "), outcome.output());
      assertTrue(outcome.output().contains("note=\n"), outcome.output());
      assertEquals(2 * LiveProgram.CHUNKS - 1, ChunkList.scan(file).chunks().size());
      assertEquals(ALL - SAMPLES, read(jdk, file).get(0).size());
      // What is missing is woven later, and nothing twice.
      Path merged = directory.resolve("merged.jfr");
      assertEquals(SAMPLES, merge(file, merged).samples());
      assertSame(TraceText.expected(file), read(jdk, merged).get(0), flags);
    }
  }

  /** More than is put behind a chunk: what is above stays as it is, and is counted. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void thereIsALimit(Jdk jdk) throws Exception {
    Path file = directory.resolve("many.jfr");
    Programs.Outcome outcome = record(jdk, file, 2, "many");
    long unwoven = outcome.number("unwoven");
    assertTrue(unwoven > 100 && unwoven < 2_000, outcome.output());
    long grown = outcome.number("grown then");
    assertTrue(grown > LiveWeave.MAX_BYTES && grown < LiveWeave.MAX_BYTES + 100_000, "" + grown);
    String summary = Commands.output(jdk.home().resolve("bin/jfr"), "summary", file);
    long woven = ALL + 2_000 - unwoven;
    assertTrue(
        Pattern.compile("jdk\\.ExecutionSample +" + woven + " ").matcher(summary).find(), summary);
  }

  private static MergeReport merge(Path file, Path to) throws Exception {
    try (OutputStream out = Files.newOutputStream(to)) {
      return RecordingMerge.of(List.of(file), MergeOptions.DEFAULT, ReadingProgress.NONE)
          .writeTo(out);
    }
  }

  /** Chunks that are woven are taken as they are, and ours are none of the reading commands'. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void mergeKnowsThem(Jdk jdk) throws Exception {
    Path file = directory.resolve("live.jfr");
    record(jdk, file, 2, "");
    Path merged = directory.resolve("merged.jfr");
    MergeReport report = merge(file, merged);
    assertEquals(0, report.samples());
    assertEquals(LiveProgram.CHUNKS, report.woven());
    assertEquals(-1, Files.mismatch(file, merged));
    Path only = directory.resolve("only.jfr");
    try (OutputStream out = Files.newOutputStream(only)) {
      RecordingMerge.of(
              List.of(file, merged),
              new MergeOptions(true, false, false, false),
              ReadingProgress.NONE)
          .writeTo(out);
    }
    assertSame(TraceText.expected(file), read(jdk, only).get(0), "only");
    assertEquals(LiveProgram.CHUNKS, ChunkList.scan(only).chunks().size());
  }
}
