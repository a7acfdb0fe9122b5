package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.export.flamegraph.FlameGraphExport;
import stackweave.jfr.export.report.Comparison;
import stackweave.jfr.read.Profile;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.SampleSum;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.SessionFacts;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.status.SamplerFigures;

/** Exports need nothing but the sums of samples: a profile without a file is shown as its file. */
class ProfileTest {
  /** Sums in memory, with methods of their own. */
  private record Summed(
      SampleChoice choice,
      List<SessionFacts> sessions,
      Instant first,
      Instant last,
      SamplerFigures figures,
      List<String> losses,
      List<SampleSum> sums)
      implements Profile {

    static Summed of(SampledRecording recording) {
      Map<SampledMethod, SampledMethod> methods = new HashMap<>();
      List<SampleSum> sums = new ArrayList<>();
      recording.forEachStackSum(
          (sum, series) -> {
            List<SampledFrame> frames = new ArrayList<>();
            for (SampledFrame frame : sum.frames()) {
              SampledMethod method =
                  methods.computeIfAbsent(
                      frame.method(),
                      its ->
                          new SampledMethod(
                              its.module(),
                              its.className(),
                              its.name(),
                              its.descriptor(),
                              its.modifiers(),
                              its.sourceFile(),
                              its.start()));
              frames.add(
                  new SampledFrame(
                      method, frame.kind(), frame.line(), frame.offset(), frame.found()));
            }
            sums.add(
                new SampleSum(
                    sum.session(),
                    sum.thread(),
                    sum.kind(),
                    sum.event(),
                    sum.state(),
                    sum.context(),
                    sum.end(),
                    frames,
                    sum.count(),
                    sum.weightNanos(),
                    sum.squares()));
          });
      return new Summed(
          recording.choice(),
          recording.sessions(),
          recording.first(),
          recording.last(),
          recording.figures(),
          recording.losses(),
          sums);
    }

    @Override
    public long samples() {
      return sums.stream().mapToLong(SampleSum::count).sum();
    }

    @Override
    public long weightNanos() {
      return sums.stream().mapToLong(SampleSum::weightNanos).sum();
    }

    @Override
    public void forEachStackSum(StackSumVisitor visitor) {
      sums.forEach(sum -> visitor.stack(sum, null));
    }
  }

  private static final TopExport.Options TOP = new TopExport.Options(9_999, false, false, 9_999);

  @TempDir private Path directory;

  @Test
  void itIsShownAsItsRecording() throws Exception {
    Path workload = directory.resolve("workload.jfr");
    Workload.record(workload);
    Path shorter = directory.resolve("short.jfr");
    Workload.recordShort(shorter);
    Path waiting = directory.resolve("waiting.jfr");
    WaitingWork.record(waiting);
    for (SampledRecording recording :
        List.of(
            SampledRecording.open(workload),
            SampledRecording.open(shorter),
            untimed(waiting, SampleChoice.WALL),
            ManyStacks.all(directory))) {
      Summed profile = Summed.of(recording);
      assertEquals(recording.samples(), profile.samples());
      assertEquals(recording.weightNanos(), profile.weightNanos());
      assertEquals(top(recording), top(profile));
      assertEquals(page(new FlameGraphExport("x", true), recording), page(profile));
      assertEquals(collapsed(recording), collapsed(profile));
    }
  }

  @Test
  void itIsComparedAsItsRecording() throws Exception {
    Path workload = directory.resolve("workload.jfr");
    Workload.record(workload);
    SampledRecording before = SampledRecording.open(workload);
    SampledRecording after = ManyStacks.all(directory);
    Comparison recorded = new Comparison(before, after);
    Comparison summed = new Comparison(Summed.of(before), Summed.of(after));
    String text = text(recorded);
    assertTrue(text.contains("libsnappyjava.so"), text);
    assertEquals(text, text(summed));
    assertEquals(
        page(new FlameGraphExport("x", false).comparedWith("y", before), after),
        page(
            new FlameGraphExport("x", false).comparedWith("y", Summed.of(before)),
            Summed.of(after)));
    assertEquals(
        page(new FlameGraphExport("x", false).with(List.of(before)), after),
        page(new FlameGraphExport("x", false).with(List.of(Summed.of(before))), Summed.of(after)));
  }

  /** What a page says of ten thousand JVMs fits into a paragraph. */
  @Test
  void manySessionsHaveFewFacts() throws Exception {
    Path workload = directory.resolve("workload.jfr");
    Workload.record(workload);
    SampledRecording one = SampledRecording.open(workload);
    List<SessionFacts> sessions =
        IntStream.range(0, 10_000)
            .mapToObj(
                i ->
                    new SessionFacts(
                        "session " + i, i, Instant.EPOCH, 2, "JDK 17.0." + i % 70, "x86-64", ""))
            .toList();
    Summed many =
        new Summed(
            one.choice(),
            sessions,
            one.first(),
            one.last(),
            one.figures(),
            List.of(),
            Summed.of(one).sums());
    assertEquals(
        List.of(
            List.of(
                "",
                "JDK 17.0.0, x86-64; JDK 17.0.1, x86-64; JDK 17.0.2, x86-64; JDK 17.0.3, x86-64;"
                    + " JDK 17.0.4, x86-64; 65 other JDKs"),
            List.of("Processes", "10,000")),
        RecordingFacts.of(many).subList(0, 2));
    assertEquals(RecordingFacts.of(one).size() + 1, RecordingFacts.of(many).size());
  }

  private static SampledRecording untimed(Path file, SampleChoice choice) throws Exception {
    return SampledRecording.open(
        file, ReadingProgress.NONE, false, SampledFrame.Change.NONE, choice);
  }

  private static String top(Profile profile) throws Exception {
    StringBuilder text = new StringBuilder();
    new TopExport("x", TOP).writeText(profile, text);
    return text.toString();
  }

  private static String page(Profile profile) throws Exception {
    return page(new FlameGraphExport("x", true), profile);
  }

  private static String page(FlameGraphExport export, Profile profile) throws Exception {
    StringBuilder text = new StringBuilder();
    export.writeText(profile, text);
    return text.toString();
  }

  private static String collapsed(Profile profile) throws Exception {
    StringBuilder text = new StringBuilder();
    ExportedStacks.collapsed(true).writeAll(profile, text);
    return text.toString();
  }

  private static String text(Comparison comparison) throws Exception {
    StringBuilder text = new StringBuilder();
    comparison.write("x", List.of(), false, text);
    return text.toString();
  }
}
