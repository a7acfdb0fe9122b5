package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.export.report.Comparison;
import stackweave.jfr.export.report.Limit;
import stackweave.jfr.export.report.ReportExport;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;

/** The figures of reports, counted by hand from what the recordings were made of. */
@Tag("slow")
class ReportTest {
  @TempDir Path directory;

  /** 1,000 samples each of two threads; of one 750 in libzip and 250 in the kernel. */
  @Test
  void thePlacesOfAllTime() throws Exception {
    String text = report(TimedWork.record(directory.resolve("r.jfr"), 50), false);
    // A tenth of the thread web is waiting, which is 100; what is left of it is Java.
    assertLine(text, "  45.0 %  42.8 %  47.2 %  Java");
    assertLine(text, "  37.5 %  35.4 %  39.6 %  native library: libzip.so");
    assertLine(text, "  12.5 %  11.1 %  14.0 %  kernel: write");
    assertLine(text, "   5.0 %   4.1 %   6.0 %  waiting: waiting");
    assertLine(text, "  37.5 % 100.0 %  app.Zip.pack");
    assertLine(text, "0 of 2,000 stacks (0.0 %) do not reach their thread's first frame.");
    assertFalse(text.contains("JNI CALLS"), "no call costs more than its work");
  }

  @Test
  void aThreadThatKeepsACoreBusyIsNamed() throws Exception {
    String text = report(TimedWork.record(directory.resolve("r.jfr"), 50), false);
    assertLine(text, "zip 11 used 10.00 s of CPU time within 9.99 s: 1.00 cores.");
  }

  @Test
  void aTransitionThatCostsMoreThanItsWorkIsNamed() throws Exception {
    SampledRecording recording =
        ManyStacks.record(
            directory.resolve("jni.jfr"),
            store -> {
              long lib = ManyStacks.module(store, "/opt/libtiny.so", "ab");
              long thread = store.thread(1, "main", 1, false, 0, null);
              long java = store.method(MethodDefinition.java("a.B", "loop", "()V", 1, ""));
              long call = store.method(MethodDefinition.java("a.B", "tiny", "()V", 1, ""));
              long tiny = store.method(MethodDefinition.symbol(lib, "libtiny.so+0x40", 64));
              long loop = store.node(EventStore.ROOT, java, ManyStacks.C2, -1, 0);
              long jni = store.node(loop, call, 6, -1, 0);
              long work = store.node(jni, tiny, ManyStacks.NATIVE, -1, 0);
              for (int i = 0; i < 200; i++) {
                ManyStacks.sample(store, thread, 0, 1_000_000, i < 160 ? jni : work, 0, 0);
              }
            });
    String text = report(recording, false).replaceAll("\n +", " ");
    assertTrue(
        text.contains(
            "a.B.tiny: 160 samples are in its transition to native code, 40 in the code that it"
                + " calls (73.9 % to 85.0 % of its samples are transition)."),
        text);
    assertTrue(text.contains("libtiny.so: 20.0 % of the CPU time (40 samples;"), text);
    assertTrue(text.contains("200 samples are few; record for longer"), text);
  }

  @Test
  void linesHave80Columns() throws Exception {
    ManyStacks.all(directory);
    String text = report(SampledRecording.open(directory.resolve("all.jfr")), false);
    for (String line : text.split("\n")) {
      assertTrue(ShortNames.columns(line) <= 80 || line.startsWith("  java -jar"), line);
      assertEquals(Names.printable(line), line);
    }
  }

  @Test
  void hostileNamesAreNoMarkup() throws Exception {
    ManyStacks.all(directory);
    String html = report(SampledRecording.open(directory.resolve("all.jfr")), true);
    assertFalse(html.contains("<b onclick"), html);
    assertFalse(html.contains("<script"), html);
    assertTrue(html.contains("default-src 'none'"));
  }

  @Test
  void oneSampleIsReported() throws Exception {
    String text = report(ManyStacks.one(directory), false);
    assertTrue(text.contains("1 sample only: shares are rough"), text);
    assertTrue(text.contains("unknown"), text);
  }

  @Test
  void whatChangedIsListedAndLimitsAreChecked() throws Exception {
    SampledRecording before = TimedWork.record(directory.resolve("b.jfr"), 10);
    SampledRecording after = TimedWork.record(directory.resolve("a.jfr"), 50);
    Comparison comparison = new Comparison(before, after);
    List<Limit> limits =
        List.of(
            Limit.parse("app.Main.slow +2pp"),
            Limit.parse("app.Main.slow +3pp"),
            Limit.parse("libzip.so +1%"),
            Limit.parse("app.Main.slow +200%"));
    StringBuilder text = new StringBuilder();
    List<Limit> exceeded = comparison.write("b and a", limits, false, text);
    // From 20 to 100 of 2,000: 3.0 to 5.1 points, see FlamePageTest.
    assertLine(text.toString(), "    +4.0    +3.0    +5.1   1.0 %   5.0 %  app.Main.slow");
    assertEquals(List.of(limits.get(0), limits.get(3)), exceeded);
    assertFalse(text.toString().contains(" app.Zip.pack\n"), "it did not change");
    RecordingException missing =
        assertThrows(
            RecordingException.class,
            () -> comparison.write("", List.of(Limit.parse("no.so +1pp")), false, text));
    assertEquals("neither recording has a library or function 'no.so'", missing.getMessage());
  }

  @Test
  void namesOfOneRunAreCompared() {
    assertEquals("a.B$$Lambda.run", Names.ofAllRuns("a.B$$Lambda$95/0x00007efde4011b48.run"));
    assertEquals("a.B$$Lambda.run", Names.ofAllRuns("a.B$$Lambda/0x00007efde4011b48.run"));
    assertEquals("LambdaForm$MH.invoke", Names.ofAllRuns("LambdaForm$MH/0x00007f.invoke"));
    assertEquals("jdk.proxy1.$Proxy.run", Names.ofAllRuns("jdk.proxy1.$Proxy12.run"));
    assertEquals("libz.so+0x132a0", Names.ofAllRuns("libz.so+0x132a0"));
    assertEquals("a.B$1.run", Names.ofAllRuns("a.B$1.run"));
  }

  private static void assertLine(String text, String line) {
    assertTrue(text.lines().anyMatch(line::equals), line + " in\n" + text);
  }

  private static String report(SampledRecording recording, boolean html) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new ReportExport("a recording", "rec.jfr", html).write(recording, out);
    return out.toString(StandardCharsets.UTF_8);
  }
}
