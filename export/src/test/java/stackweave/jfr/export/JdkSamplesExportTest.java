package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.export.flamegraph.FlameGraphExport;
import stackweave.jfr.export.report.ReportExport;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.JdkEvent;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.read.jdk.TracedWork;
import stackweave.jfr.weave.MergeOptions;
import stackweave.jfr.weave.RecordingMerge;

/** Exports of samples that JFR itself took, of a recording that the agent took no part in. */
class JdkSamplesExportTest {
  private static final SampleChoice CPU = SampleChoice.CPU.orOfJdk();
  private static final SampleChoice ALLOCATIONS = SampleChoice.ofEvent(JdkEvent.ALLOCATIONS);
  private static final SampleChoice LOCKS = SampleChoice.ofEvent(JdkEvent.LOCK_WAITS);

  @TempDir private static Path directory;
  private static Path recorded;

  @BeforeAll
  static void record() throws Exception {
    recorded = directory.resolve("rec.jfr");
    TracedWork.record(recorded, "jdk.ObjectAllocationSample");
  }

  private static String text(Export<? super SampledRecording> export, SampledRecording recording)
      throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    export.write(recording, out);
    return out.toString(StandardCharsets.UTF_8);
  }

  private static String collapsed(SampledRecording recording, boolean total) throws Exception {
    CollapsedExport.Options options = new CollapsedExport.Options(false, total, FrameNames.PLAIN);
    return text(new CollapsedExport(options, Selection.ALL), recording);
  }

  private static long sum(String collapsed) {
    return collapsed
        .lines()
        .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private static String top(SampledRecording recording) throws Exception {
    return text(new TopExport("rec.jfr", new TopExport.Options(0, false, false, 200)), recording);
  }

  @Test
  void theHeadingSaysWhatIsChosen() throws Exception {
    SampledRecording execution = ManyStacks.open(recorded, CPU);
    String top = top(execution);
    assertTrue(top.contains("Engine JFR (jdk.ExecutionSample, jdk.NativeMethodSample)"), top);
    assertTrue(top.contains("Shares of the " + Texts.count(execution.samples()) + " samples"), top);
    assertTrue(top.contains("SHARE SAMPLES  THREAD"), top);
    assertFalse(top.contains("CPU time covered"), top);
    SampledRecording allocations = ManyStacks.open(recorded, ALLOCATIONS);
    top = top(allocations);
    assertTrue(top.contains("Engine JFR (jdk.ObjectAllocationSample)"), top);
    assertTrue(top.contains("iB of allocations that the samples stand for"), top);
    assertTrue(top.contains("byte[]"), top);
    top = top(ManyStacks.open(recorded, LOCKS));
    assertTrue(top.contains(" s of lock waits that the samples stand for"), top);
    assertTrue(top.contains("java.lang.Object"), top);
  }

  @Test
  void numbersAreThoseOfTheChoice() throws Exception {
    SampledRecording execution = ManyStacks.open(recorded, CPU);
    assertEquals(execution.samples(), sum(collapsed(execution, false)));
    assertEquals(execution.samples(), sum(collapsed(execution, true)));
    SampledRecording allocations = ManyStacks.open(recorded, ALLOCATIONS);
    assertEquals(allocations.weightNanos(), sum(collapsed(allocations, false)));
    assertTrue(allocations.weightNanos() > 1 << 20);
  }

  /** No format takes bytes or waiting for CPU time. */
  @Test
  void formatsHaveTheUnit() throws Exception {
    for (SampleChoice choice : List.of(CPU, ALLOCATIONS, LOCKS)) {
      SampledRecording recording = ManyStacks.open(recorded, choice);
      JsonObject firefox = json(new FirefoxExport("rec.jfr", Selection.ALL), recording);
      long count = 0;
      for (JsonElement thread : firefox.getAsJsonArray("threads")) {
        JsonObject samples = thread.getAsJsonObject().getAsJsonObject("samples");
        count += samples.get("length").getAsLong();
        samples.getAsJsonArray("threadCPUDelta").forEach(own -> assertEquals(0, own.getAsInt()));
      }
      assertEquals(recording.samples(), count);
      JsonObject speedscope = json(new SpeedscopeExport("rec.jfr", Selection.ALL), recording);
      long weight = 0;
      for (JsonElement thread : speedscope.getAsJsonArray("profiles")) {
        weight += thread.getAsJsonObject().get("endValue").getAsLong();
      }
      assertEquals(recording.weightNanos(), weight);
      ByteArrayOutputStream pprof = new ByteArrayOutputStream();
      new PprofExport(Selection.ALL).write(recording, pprof);
      new PprofMessage(pprof.toByteArray());
    }
  }

  private static JsonObject json(Export<SampledRecording> export, SampledRecording recording)
      throws Exception {
    return JsonParser.parseString(text(export, recording)).getAsJsonObject();
  }

  @Test
  void reportsAndPagesHaveThem() throws Exception {
    for (SampleChoice choice : List.of(CPU, ALLOCATIONS, LOCKS)) {
      SampledRecording recording = ManyStacks.open(recorded, choice);
      String report = text(new ReportExport("rec.jfr", "rec.jfr", false), recording);
      assertTrue(report.contains("TracedWork."), report);
      String page = text(new FlameGraphExport("rec.jfr", false), recording);
      assertTrue(page.contains("JFR (jdk."), "the heading");
    }
  }

  /** A merged recording without the agent's events has the stacks of the one it was made of. */
  @Test
  void mergedRecordingsHaveTheirStacks() throws Exception {
    Path file = directory.resolve("workload.jfr");
    Workload.record(file);
    Path merged = directory.resolve("merged.jfr");
    try (OutputStream out = Files.newOutputStream(merged)) {
      MergeOptions only = new MergeOptions(true, false, false, false);
      RecordingMerge.of(List.of(file), only, ReadingProgress.NONE).writeTo(out);
    }
    SampledRecording of = SampledRecording.open(file);
    SampledRecording again = ManyStacks.open(merged, CPU);
    assertEquals(of.samples(), again.samples());
    assertEquals(stacks(collapsed(of, false)), stacks(collapsed(again, false)));
  }

  /** Counts by stack; why a stack ends is not in a merged recording. */
  private static Map<String, Long> stacks(String collapsed) {
    Map<String, Long> stacks = new TreeMap<>();
    for (String line : collapsed.split("\n")) {
      int space = line.lastIndexOf(' ');
      String stack = line.substring(0, space).replaceFirst("^\\[(truncated|stopped: [^;]*)];", "");
      stacks.merge(stack, Long.parseLong(line.substring(space + 1)), Long::sum);
    }
    return stacks;
  }
}
