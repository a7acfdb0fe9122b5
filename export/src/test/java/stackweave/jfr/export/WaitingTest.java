package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.jfr.export.flamegraph.FlameGraphExport;
import stackweave.jfr.export.otlp.OtlpExport;
import stackweave.jfr.export.report.Comparison;
import stackweave.jfr.export.report.ReportExport;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.read.choice.SampleKind;
import stackweave.jfr.status.Counter;

/** Samples of waiting threads are in what is asked to have them, and in nothing else. */
class WaitingTest {
  private static final TopExport.Options TOP = new TopExport.Options(0, false, false, 1_000);

  @TempDir private static Path directory;

  /** Each is recorded once. */
  private static Path file(boolean hasWaiting) throws Exception {
    Path file = directory.resolve(hasWaiting + ".jfr");
    if (Files.notExists(file)) {
      WaitingWork.record(file, hasWaiting);
    }
    return file;
  }

  /** The profiles of threads in no order: JFR does not promise that of events in a file. */
  private static List<String> threads(String text) {
    return Arrays.stream(text.split("\\{\"type\""))
        .map(profile -> profile.replaceAll("[,\\]}]+\\s*$", ""))
        .sorted()
        .toList();
  }

  /** Everything is as if they were not there, but for the line that says that they are. */
  @Test
  void withoutAskingAllIsCpuTime() throws Exception {
    SampledRecording plain = SampledRecording.open(file(false));
    SampledRecording both = SampledRecording.open(file(true));
    assertEquals(WaitingWork.CPU_SAMPLES, both.samples());
    assertEquals(WaitingWork.CPU_NANOS, both.weightNanos());
    assertEquals(WaitingWork.WAITING_SAMPLES, both.waitingSamples());
    assertEquals(List.of(), both.losses());
    assertEquals(plain.figures().coverage(), both.figures().coverage());
    assertEquals(Map.of("on CPU", WaitingWork.CPU_NANOS), both.nanosByState());
    both.forEachSample(sample -> assertEquals(SampleKind.CPU, sample.kind()));
    assertEquals(collapsed(plain), collapsed(both));
    assertEquals(
        withoutJvm(text(new TopExport("rec", TOP), plain)),
        withoutJvm(text(new TopExport("rec", TOP), both)).replaceAll("; Waiting [^;]*", ""));
    for (Export<SampledRecording> export :
        List.of(
            new SpeedscopeExport("rec", Selection.ALL),
            new ReportExport("rec", "rec.jfr", false))) {
      assertEquals(threads(text(export, plain)), threads(text(export, both)));
    }
    new PprofMessage(ExportedStacks.bytes(new PprofExport(Selection.ALL), both))
        .stacks()
        .assertAreThoseOf(plain, Selection.ALL);
    String page = text(new FlameGraphExport("rec", false), both);
    assertTrue(page.contains("\"timeLabel\":\"CPU time\""));
    assertTrue(page.contains(WaitingWork.WAITING_SAMPLES + " samples more"));
  }

  @Test
  void wallTimeHasBoth() throws Exception {
    SampledRecording wall = WaitingWork.open(file(true), SampleChoice.WALL);
    assertEquals(WaitingWork.CPU_SAMPLES + WaitingWork.WAITING_SAMPLES, wall.samples());
    assertEquals(WaitingWork.WORK_NANOS + WaitingWork.IDLE_NANOS, wall.weightNanos());
    assertEquals(
        Map.of(
            "on CPU", WaitingWork.CPU_NANOS,
            "waiting for a CPU", WaitingWork.RUNNABLE_NANOS,
            "socket", WaitingWork.SOCKET_NANOS,
            "monitor", WaitingWork.MONITOR_NANOS,
            "system call 318", WaitingWork.CALL_NANOS,
            "park", WaitingWork.POOL_NANOS,
            "epoll", WaitingWork.SELECTOR_NANOS,
            "native lock", WaitingWork.JVM_NANOS),
        wall.nanosByState());
    long[] nanos = new long[2];
    wall.forEachSample(sample -> nanos[sample.kind().ordinal()] += sample.weightNanos());
    assertEquals(WaitingWork.CPU_NANOS, nanos[SampleKind.CPU.ordinal()]);
    assertEquals(wall.weightNanos(), nanos[0] + nanos[1]);
    // Waiting is no CPU time: coverage is what it was.
    assertEquals(WaitingWork.CPU_NANOS, wall.figures().get(Counter.CPU_COVERED));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "socket                | 4000",
        "socket,monitor        | 4500",
        "SOCKET, System call   | 4500",
        "system call 318       | 500",
        "running               | 1000",
        "on CPU                | 1000",
        "runnable              | 50",
        "on CPU,runnable       | 1050",
        "futex                 | 28500",
        "blocked               | 42000",
        "blocked,on CPU        | 43000"
      })
  void states(String names, long millis) throws Exception {
    SampleChoice choice = SampleChoice.of(false, List.of(names.split(",")));
    Path file = file(true);
    SampledRecording chosen = WaitingWork.open(file, choice);
    assertEquals(millis * WaitingWork.MILLI, chosen.weightNanos());
    assertEquals(!names.matches("running|on CPU"), choice.isWall());
    List<Long> weights = new ArrayList<>();
    Selection.ALL.forEachSample(chosen, sample -> weights.add(sample.weightNanos()));
    assertEquals(chosen.weightNanos(), weights.stream().mapToLong(w -> w).sum());
    weights.clear();
    Selection.ALL.forEachSum(chosen, sum -> weights.add(sum.weightNanos()));
    assertEquals(chosen.weightNanos(), weights.stream().mapToLong(w -> w).sum());
    // The states that are left out don't change how much of the CPU time is covered.
    assertEquals(WaitingWork.CPU_NANOS, chosen.figures().get(Counter.CPU_COVERED));
  }

  @Test
  void whatIsNotThereIsSaid() throws Exception {
    Path plain = file(false);
    RecordingException none =
        assertThrows(RecordingException.class, () -> WaitingWork.open(plain, SampleChoice.WALL));
    assertTrue(none.getMessage().contains("holds no samples of waiting threads"), none.toString());
    assertTrue(none.getMessage().contains("record --wall 20ms"), none.toString());
    SampleChoice sleep = SampleChoice.of(false, List.of("sleep"));
    Path both = file(true);
    RecordingException other =
        assertThrows(RecordingException.class, () -> WaitingWork.open(both, sleep));
    assertTrue(
        other
            .getMessage()
            .endsWith("native lock, on CPU, park, socket, system call 318, waiting" + " for a CPU"),
        other.toString());
  }

  /** Each export has the stacks and nanoseconds that the collapsed format has. */
  @Test
  void allExportsHaveWallTime() throws Exception {
    SampledRecording wall = WaitingWork.open(file(true), SampleChoice.WALL);
    assertTrue(
        collapsed(wall).contains("[loop];app.Loop.run;sun.nio.ch.SelectorImpl.select 9000000000\n"),
        collapsed(wall));
    byte[] pprof = ExportedStacks.bytes(new PprofExport(Selection.ALL), wall);
    new PprofMessage(pprof).stacks().assertNanosAreThoseOf(wall, Selection.ALL);
    BrowserFormatsTest.speedscope(wall, Selection.ALL).assertNanosAreThoseOf(wall, Selection.ALL);
    JsonObject firefox = json(new FirefoxExport("rec", Selection.ALL), wall);
    double cpu = 0;
    double time = 0;
    for (var thread : firefox.getAsJsonArray("threads")) {
      JsonObject samples = thread.getAsJsonObject().getAsJsonObject("samples");
      for (var delta : samples.getAsJsonArray("threadCPUDelta")) {
        cpu += delta.getAsDouble();
      }
      for (var weight : samples.getAsJsonArray("weight")) {
        time += weight.getAsDouble();
      }
    }
    assertEquals(WaitingWork.CPU_NANOS, cpu, 1);
    assertEquals(wall.weightNanos() / 1e6, time, 0.001);
    String otlp = text(new OtlpExport("orders", Selection.ALL), wall);
    assertTrue(otlp.contains("wall") && otlp.contains("system call 318"));
    String page = text(new FlameGraphExport("rec", false), wall);
    assertTrue(page.contains("\"timeLabel\":\"wall time\",\"wall\":1,\"byTime\":1"));
    String top = text(new TopExport("rec", TOP), wall);
    assertTrue(top.contains("Shares of the 43.05 s of wall time"), top);
    assertTrue(top.contains("46.5 % 20.00 s  park\n 20.9 %  9.00 s  epoll\n"), top);
    assertTrue(top.contains("20.9 %  9.00 s  loop\n"), top);
  }

  @Test
  void theReportSaysWhatThreadsWaitFor() throws Exception {
    Path file = file(true);
    SampledRecording wall = WaitingWork.open(file, SampleChoice.WALL);
    String report = oneLine(text(new ReportExport("rec", "rec.jfr", false), wall));
    assertTrue(report.contains("43.05 s of wall time of 6 threads within"), report);
    assertTrue(report.contains("85.9 % of it is idle"), report);
    assertTrue(
        report.contains(
            "Of the rest, 6.05 s, 82.6 % was waiting: 66.1 % socket, 8.3 % monitor, 8.3 % system"
                + " call 318; 16.5 % was on a CPU, and 0.8 % waited for one."),
        report);
    assertTrue(report.contains("82.6 % pool-#-thread-# (4 threads), 6.05 s"), report);
    assertTrue(report.contains("80.0 % socket: app.Client.call"), report);
    assertTrue(report.contains("10.0 % monitor: app.Store.put"), report);
    assertTrue(report.contains("20.00 s pool-#-thread-# (4 threads): in a pool's queue"), report);
    assertTrue(report.contains("100.0 % 9.00 s loop: in a selector"), report);
    assertTrue(report.contains("100.0 % 8.00 s VM Thread: the JVM's own"), report);
    assertTrue(report.contains("looked at every 20 ms; 60 stacks read, 0 not"), report);
    // The report of CPU time has them behind its own findings.
    SampledRecording cpu = SampledRecording.open(file);
    Export<SampledRecording> both = new ReportExport("rec", "rec.jfr", false).withWaiting(wall);
    String all = oneLine(text(both, cpu));
    assertTrue(all.contains("100 samples stand for 1.00 s of CPU time"), all);
    assertTrue(all.contains("82.6 % was waiting"), all);
    for (String line : text(both, cpu).split("\n")) {
      assertTrue(ShortNames.columns(line) <= 80 || line.startsWith("  java -jar"), line);
    }
  }

  /** Of 4 s of waiting 1 s has no frame, and 2 s lack the outermost ones. */
  @Test
  void theReportSaysHowMuchHasNoStack() throws Exception {
    Path file = directory.resolve("stackless.jfr");
    WaitingWork.recordStackless(file);
    SampledRecording wall = WaitingWork.open(file, SampleChoice.WALL);
    String report = oneLine(text(new ReportExport("rec", "rec.jfr", false), wall));
    assertTrue(
        report.contains(
            "HOW FAR TO TRUST THIS 25.0 % of the wall time (1.00 s) has no stack: what it was spent"
                + " in is not known. 50.0 % of the wall time (2.00 s) has a stack that does not"
                + " reach its thread's first frame."),
        report);
    String whole =
        text(
            new ReportExport("rec", "rec.jfr", false),
            WaitingWork.open(file(true), SampleChoice.WALL));
    assertFalse(oneLine(whole).contains("of the wall time ("), whole);
  }

  /** A task that a pool runs waits inside work, though the pool's frames are below it. */
  @Test
  void aTaskIsNoIdleWait() throws Exception {
    SampledRecording wall = WaitingWork.open(file(true), SampleChoice.of(true, List.of("park")));
    String report = oneLine(text(new ReportExport("rec", "rec.jfr", false), wall));
    assertTrue(report.contains("100.0 % of it is idle"), report);
    SampledRecording work =
        WaitingWork.open(file(true), SampleChoice.of(true, List.of("socket", "monitor")));
    report = oneLine(text(new ReportExport("rec", "rec.jfr", false), work));
    assertTrue(report.contains(" 0.0 % of it is idle"), report);
    assertFalse(report.contains("IDLE THREADS"), report);
  }

  @Test
  void comparisonsAreOfWallTime() throws Exception {
    SampledRecording wall = WaitingWork.open(file(true), SampleChoice.WALL);
    StringBuilder text = new StringBuilder();
    new Comparison(wall, wall).write("rec", List.of(), false, text);
    assertTrue(oneLine(text.toString()).contains("each of its own recording's wall time"));
  }

  /** JDK 17 may lose the text of its name, which stands in many chunks of one process. */
  private static String withoutJvm(String top) {
    return top.replaceFirst("\nOpenJDK[^;]*; ", "\n");
  }

  private static String collapsed(SampledRecording recording) throws Exception {
    return ExportedStacks.collapsed(recording, Selection.ALL, false);
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\s+", " ");
  }

  private static JsonObject json(
      Export<? super SampledRecording> export, SampledRecording recording) throws Exception {
    return JsonParser.parseString(text(export, recording)).getAsJsonObject();
  }

  private static String text(Export<? super SampledRecording> export, SampledRecording recording)
      throws Exception {
    return new String(ExportedStacks.bytes(export, recording), StandardCharsets.UTF_8);
  }
}
