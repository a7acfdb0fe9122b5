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
import org.junit.jupiter.api.Order;
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
import stackweave.jfr.read.Chunks;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.weave.format.WovenChunk;
import stackweave.testing.Commands;
import stackweave.testing.Jdk;

/** Samples that are woven as they come, as our reader and others have them. */
@Order(2)
class LiveWeaveIT {
  private static final int SAMPLES = 500;

  /** Of our reader's and of others' calculations. */
  private static final long ROUNDING_NANOS = 2;

  private static final int ALL = LiveProgram.CHUNKS * SAMPLES;

  @TempDir private Path directory;

  private Programs.Outcome record(Jdk jdk, Path file, String flags) throws Exception {
    Programs.Outcome outcome =
        Programs.java(
            jdk,
            List.of(LiveProgram.OPEN),
            LiveProgram.class,
            List.of(file.toString(), "" + SAMPLES, flags));
    assertEquals(0, outcome.exit(), outcome.output());
    assertEquals(0, outcome.number("changed"), outcome.output());
    return outcome;
  }

  private List<String> read(Jdk reader, Path file) throws Exception {
    return TraceText.read(reader, directory, List.of(file)).get(0).get(0);
  }

  /** Every sample, in every chunk, with its thread and its stack; and all other events. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void everySampleIsWhatOurReaderHas(Jdk jdk) throws Exception {
    Path file = directory.resolve("live.jfr");
    Programs.Outcome outcome = record(jdk, file, "");
    assertEquals(0, outcome.number("unwoven"), outcome.output());
    assertEquals(0, outcome.number("named"));
    assertEquals(ALL, TraceText.expected(file).size());
    assertEquals(2 * LiveProgram.CHUNKS, ChunkList.scan(file).chunks().size());
    for (Jdk reader : Jdk.onEnds().toList()) {
      assertSame(file, read(reader, file), jdk + " by " + reader);
    }
    List<String> withoutThread =
        TraceText.expected(file).stream().map(OtherToolsIT::withoutThread).toList();
    assertSame(file, withoutThread, missionControl(file), "JMC");
    String summary = Commands.output(jdk.home().resolve("bin/jfr"), "summary", file);
    assertTrue(summary.contains("Chunks: " + 2 * LiveProgram.CHUNKS), summary);
  }

  /** The same threads and stacks, each at the same times, as our reader has them. */
  private static void assertSame(Path file, List<String> found, String what) throws Exception {
    assertSame(file, TraceText.expected(file), found, what);
  }

  /** JDKs give a chunk's clock to the next one: times differ by as much as these clocks do. */
  private static void assertSame(Path file, List<String> expected, List<String> found, String what)
      throws Exception {
    assertSame(Chunks.clockSpread(file), expected, found, what);
  }

  /** The same, with times that differ by the rounding and {@code spread} at most. */
  static void assertSame(long spread, List<String> expected, List<String> found, String what) {
    long most = spread + ROUNDING_NANOS;
    Map<String, List<Long>> times = times(expected);
    Map<String, List<Long>> others = times(found);
    assertEquals(times.keySet(), others.keySet(), what);
    for (Map.Entry<String, List<Long>> each : times.entrySet()) {
      List<Long> of = others.get(each.getKey());
      assertEquals(each.getValue().size(), of.size(), what + " " + each.getKey());
      for (int i = 0; i < of.size(); i++) {
        long off = Math.abs(each.getValue().get(i) - of.get(i));
        assertTrue(off <= most, what + " is off by " + off + " of " + most + ": " + each.getKey());
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
            OtherToolsIT.line(time.getMember(item), thread.getMember(item), trace.getMember(item)));
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
      Programs.Outcome outcome = record(jdk, file, flags);
      assertEquals(0, outcome.number("grown then"), outcome.output());
      assertEquals(SAMPLES, outcome.number("unwoven"), outcome.output());
      assertTrue(outcome.output().contains("note in between=not woven: "), outcome.output());
      assertTrue(outcome.output().contains("note=\n"), outcome.output());
      assertEquals(2 * LiveProgram.CHUNKS - 1, ChunkList.scan(file).chunks().size());
      Jdk running = Jdk.in(Path.of(System.getProperty("java.home")));
      assertEquals(ALL - SAMPLES, read(running, file).size());
      // What is missing is woven later, and nothing twice.
      Path merged = directory.resolve("merged.jfr");
      assertEquals(SAMPLES, merge(file, merged).samples());
      assertSame(merged, TraceText.expected(file), read(running, merged), flags);
    }
  }

  /** More than is put behind a chunk: what is above stays as it is, and is counted. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void thereIsALimit(Jdk jdk) throws Exception {
    Path file = directory.resolve("many.jfr");
    Programs.Outcome outcome = record(jdk, file, "many");
    long unwoven = outcome.number("unwoven");
    assertTrue(unwoven > 100 && unwoven < 2_000, outcome.output());
    long grown = outcome.number("grown then");
    assertTrue(grown > WovenChunk.MAX_BYTES && grown < WovenChunk.MAX_BYTES + 100_000, "" + grown);
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
    record(jdk, file, "");
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
    assertSame(only, TraceText.expected(file), read(jdk, only), "only");
    assertEquals(LiveProgram.CHUNKS, ChunkList.scan(only).chunks().size());
  }
}
