package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.jfr.event.SampleRecord.Kind.CPU;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.export.otlp.OtlpExport;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;

/** Which samples an export has, and how frames are called in text. */
class SelectionTest {
  @TempDir private Path directory;

  private SampledRecording recording;

  @BeforeEach
  void record() throws Exception {
    recording = ManyStacks.record(directory.resolve("rec.jfr"), SelectionTest::write);
  }

  /** Four samples a ms apart. */
  private static void write(EventStore store) {
    long base = System.nanoTime();
    long main = store.thread(1, "main", 1, false, 0, null);
    long run = store.method(MethodDefinition.java("com.a.Main", "run", "()V", 1, "Main.java"));
    long unnamed = store.method(MethodDefinition.java("Main", "go", "()V", 1, "Main.java"));
    long libz = ManyStacks.module(store, "/usr/lib/libz.so.1", "");
    long inflate = store.method(MethodDefinition.symbol(libz, "inflate", 16));
    long outer = store.node(EventStore.ROOT, run, ManyStacks.C2, 12, 3);
    long unknownLine = store.node(EventStore.ROOT, run, ManyStacks.C2, 0, 7);
    long[] stacks = {
      outer,
      store.node(outer, inflate, ManyStacks.NATIVE, 99, 5),
      store.node(unknownLine, unnamed, ManyStacks.C2, 70_000, 65_535),
      store.node(unknownLine, inflate, ManyStacks.NATIVE, -1, 6)
    };
    for (int i = 0; i < stacks.length; i++) {
      assertTrue(
          store.write(
              new SampleRecord()
                  .begin(CPU, base + i * 1_000_000, 1_000 + i)
                  .stack(main, stacks[i], 0, 0)
                  .state(i % 2)));
    }
  }

  @Test
  void namesOfFrames() throws Exception {
    assertEquals(
        """
        com.a.Main.run 1
        com.a.Main.run;Main.go 1
        com.a.Main.run;inflate [libz.so.1] 2
        """,
        collapsed(false, false, FrameNames.PLAIN, Selection.ALL));
    assertEquals(
        """
        com.a.Main.run:12 1
        com.a.Main.run:12;inflate:99 [libz.so.1] 1
        com.a.Main.run;Main.go:70000 1
        com.a.Main.run;inflate [libz.so.1] 1
        """,
        collapsed(false, false, new FrameNames(true, false, false), Selection.ALL));
    assertEquals(
        """
        Main.run:12 1
        Main.run:12;inflate:99 [libz.so.1] 1
        Main.run@7;Main.go:70000 1
        Main.run@7;inflate [libz.so.1] 1
        """,
        collapsed(false, false, new FrameNames(true, true, true), Selection.ALL));
    assertEquals(
        """
        [main];Main.run@3 1000
        [main];Main.run@3;inflate [libz.so.1] 1001
        [main];Main.run@7;Main.go@65535 1002
        [main];Main.run@7;inflate [libz.so.1] 1003
        """,
        collapsed(true, true, new FrameNames(false, true, true), Selection.ALL));
  }

  @Test
  void theTimeBeginsWithFromAndEndsBeforeTo() throws Exception {
    List<Instant> times = new ArrayList<>();
    recording.forEachSample(sample -> times.add(sample.time()));
    times.sort(null);
    assertEquals(4, times.size());
    assertEquals("1001 1002", weights(of(times.get(1), times.get(3))));
    assertEquals("1000 1001 1002 1003", weights(of(times.get(0), times.get(3).plusNanos(1))));
    assertEquals("1003", weights(of(times.get(3), Instant.MAX)));
    Selection none = of(times.get(3).plusNanos(1), Instant.MAX);
    RecordingException e = assertThrows(RecordingException.class, () -> weights(none));
    assertEquals(
        "none of the 4 samples is selected: they are from " + times.get(0) + " to " + times.get(3),
        e.getMessage());
  }

  @Test
  void states() throws Exception {
    Path file = directory.resolve("rec.jfr");
    recording = ManyStacks.open(file, SampleChoice.of(false, List.of("running")));
    assertEquals("1000 1002", weights(Selection.ALL));
    assertEquals(2, recording.samples());
    assertEquals(2002, recording.weightNanos());
    recording = ManyStacks.open(file, SampleChoice.of(false, List.of("on CPU", "waiting")));
    assertEquals("1000 1001 1002 1003", weights(Selection.ALL));
    SampleChoice none = SampleChoice.of(false, List.of("asleep"));
    RecordingException e =
        assertThrows(RecordingException.class, () -> ManyStacks.open(file, none));
    assertTrue(e.getMessage().endsWith("threads' states are on CPU, waiting"), e.getMessage());
  }

  /** The whole text must match, as in async-profiler's converter. */
  @Test
  void expressions() throws Exception {
    assertEquals("1001 1003", weights(matching("inflate .*", null)));
    assertEquals("1000 1002", weights(matching(null, "inflate .*")));
    assertEquals("1001 1003", weights(matching(".*libz.*", ".*Main[.]go")));
    assertEquals("1002", weights(matching("Main.*", ".*libz.*")));
    assertThrows(RecordingException.class, () -> weights(matching("inflate", null)));
    assertThrows(RecordingException.class, () -> weights(matching(null, ".*run")));
  }

  /** All exports have the same samples. */
  @Test
  void allExportsSelect() throws Exception {
    Selection selection = matching(".*libz.*", null);
    new PprofMessage(ExportedStacks.bytes(new PprofExport(selection), recording))
        .stacks()
        .assertAreThoseOf(recording, selection);
    BrowserFormatsTest.speedscope(recording, selection).assertNanosAreThoseOf(recording, selection);
    BrowserFormatsTest.firefox(recording, selection).assertAreThoseOf(recording, selection);
    Selection none = matching("nothing", null);
    for (Export<SampledRecording> export :
        List.of(
            new PprofExport(none),
            new OtlpExport("", none),
            new SpeedscopeExport("", none),
            new FirefoxExport("", none),
            new CollapsedExport(
                new CollapsedExport.Options(false, false, FrameNames.PLAIN), none))) {
      assertThrows(RecordingException.class, () -> ExportedStacks.bytes(export, recording));
    }
  }

  private static Selection of(Instant from, Instant to) {
    return new Selection(from, to, null, null);
  }

  private static Selection matching(String include, String exclude) {
    return new Selection(
        Instant.MIN,
        Instant.MAX,
        include == null ? null : Pattern.compile(include),
        exclude == null ? null : Pattern.compile(exclude));
  }

  /** The weights of the selected samples, by which they are told apart; by both ways to read. */
  private String weights(Selection selection) throws Exception {
    List<Long> samples = new ArrayList<>();
    selection.forEachSample(recording, sample -> samples.add(sample.weightNanos()));
    List<Long> sums = new ArrayList<>();
    selection.forEachSum(recording, sum -> sums.add(sum.weightNanos()));
    samples.sort(null);
    sums.sort(null);
    assertEquals(samples, sums);
    return String.join(" ", samples.stream().map(String::valueOf).toList());
  }

  private String collapsed(boolean threads, boolean total, FrameNames names, Selection selection)
      throws Exception {
    StringBuilder text = new StringBuilder();
    new CollapsedExport(new CollapsedExport.Options(threads, total, names), selection)
        .writeText(recording, text);
    return text.toString();
  }
}
