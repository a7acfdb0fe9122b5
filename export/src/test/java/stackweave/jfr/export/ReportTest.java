package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.jfr.event.SampleRecord.Kind.CPU;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.export.report.Comparison;
import stackweave.jfr.export.report.LibrariesExport;
import stackweave.jfr.export.report.Limit;
import stackweave.jfr.export.report.ReportExport;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;

/** The figures of reports, counted by hand from what the recordings were made of. */
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
    assertLine(text, "  37.5 %          libzip.so");
    assertLine(text, "  37.5 % 100.0 %    app.Zip.pack");
    assertLine(text, "0 of 2,000 stacks (0.0 %) do not reach their thread's first frame.");
    assertFalse(text.contains("JNI CALLS"), "no call costs more than its work");
    assertFalse(text.contains("no stack at all"), text);
    String html = report(SampledRecording.open(directory.resolve("r.jfr")), true);
    assertTrue(html.contains("<td dir=\"auto\">libzip.so</td>"), html);
    assertTrue(html.contains("<td dir=\"auto\" class=\"in\">app.Zip.pack</td>"), html);
  }

  @Test
  void aThreadThatKeepsACoreBusyIsNamed() throws Exception {
    String text = report(TimedWork.record(directory.resolve("r.jfr"), 50), false);
    assertLine(text, "zip 11 used 10.00 s of CPU time within 10.00 s: 1.00 cores.");
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

  /** What a call by FFM goes through is the JDK's: of JDK 25, whose hidden classes have no name. */
  @Test
  void theCallerOfALibraryIsOutsideOfTheJdk() throws Exception {
    SampledRecording recording =
        ManyStacks.record(
            directory.resolve("ffm.jfr"),
            store -> {
              long lib = ManyStacks.module(store, "/opt/libffm.so", "ab");
              long thread = store.thread(1, "main", 1, false, 0, null);
              long node = EventStore.ROOT;
              for (String type :
                  List.of(
                      "app.Calls",
                      "java.lang.invoke.LambdaForm$MH/0x00007f2d3c012000",
                      "jdk.internal.foreign.abi.DowncallStub/0x00007f2d3c013000")) {
                long method = store.method(MethodDefinition.java(type, "invoke", "()V", 1, ""));
                node = store.node(node, method, ManyStacks.C2, -1, 0);
              }
              long work = store.method(MethodDefinition.symbol(lib, "work", 64));
              long called = store.node(node, work, ManyStacks.NATIVE, -1, 0);
              for (int i = 0; i < 200; i++) {
                ManyStacks.sample(store, thread, 0, 1_000_000, called, 0, 0);
              }
            });
    assertLine(report(recording, false), " 100.0 % 100.0 %    app.Calls.invoke");
  }

  /** How a frame was found is the fault of what it called. */
  @Test
  void theLibraryWithoutTablesIsAdvised() throws Exception {
    SessionInfo info =
        new SessionInfo("", "", "0=native,4=C2", "0=complete", "0", "0=on CPU", "1=by jump", "1");
    Path file = directory.resolve("guess.jfr");
    try (Recording recording = new Recording();
        EventStore store = EventStore.open(info, StoreLimits.DEFAULT)) {
      recording.start();
      long good = ManyStacks.module(store, "/opt/libcaller.so", "aa");
      long bad = ManyStacks.module(store, "/opt/libnotables.so", "bb");
      long thread = store.thread(1, "main", 1, false, 0, null);
      long main = store.method(MethodDefinition.java("a.B", "main", "()V", 1, ""));
      long java = store.node(EventStore.ROOT, main, 4, -1, 0, 1);
      long caller = store.method(MethodDefinition.symbol(good, "caller", 64));
      long leaf = store.method(MethodDefinition.symbol(bad, "leaf", 64));
      long outer = store.node(java, caller, 0, -1, 8, 1);
      long inner = store.node(outer, leaf, 0, -1, 8);
      for (int i = 0; i < 500; i++) {
        // The caller of the first is not guessed.
        boolean isFirst = i < 100;
        long node = isFirst ? store.node(EventStore.ROOT, leaf, 0, -1, 8) : inner;
        ManyStacks.sample(store, thread, 0, 1_000_000, node, 0, 0);
      }
      store.flush();
      recording.dump(file);
    }
    SampledRecording recording = SampledRecording.open(file);
    String text = report(recording, false).replaceAll("\n +", " ");
    assertTrue(text.contains("libnotables.so: 80.0 % of the CPU time (400 samples;"), text);
    assertTrue(text.contains("libcaller.so: 80.0 % of the CPU time (400"), "its caller, too");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new LibrariesExport("x", 0, false).write(recording, out);
    String libraries = out.toString(StandardCharsets.UTF_8).replaceAll("\n +", " ");
    assertTrue(
        libraries.contains(
            "Guesses: of 80.0 % of its frames the caller was found without unwind tables"),
        libraries);
  }

  /** Copying an array is libjvm's work; to wait for a safepoint is none. */
  @Test
  void whatLibjvmDoesForANativeMethodIsWork() throws Exception {
    assertFalse(jni("Unsafe_CopyMemory0").contains("JNI CALLS"), "libjvm's work");
    assertTrue(jni("SafepointMechanism::process").contains("JNI CALLS"), "a transition");
  }

  private String jni(String jvmFunction) throws Exception {
    SampledRecording recording =
        ManyStacks.record(
            directory.resolve(jvmFunction.replace(':', '_') + ".jfr"),
            store -> {
              long jvm = ManyStacks.module(store, "/opt/jdk/lib/server/libjvm.so", "cc");
              long thread = store.thread(1, "main", 1, false, 0, null);
              long call = store.method(MethodDefinition.java("a.B", "copy", "()V", 1, ""));
              long copy = store.method(MethodDefinition.symbol(jvm, jvmFunction, 64));
              long node = store.node(store.node(EventStore.ROOT, call, 6, -1, 0), copy, 0, -1, 1);
              for (int i = 0; i < 200; i++) {
                ManyStacks.sample(store, thread, 0, 1_000_000, node, 0, 0);
              }
            });
    return report(recording, false);
  }

  /** Two of the same name and id, in two processes, have half a core each. */
  @Test
  void threadsOfTwoProcessesAreTwo() throws Exception {
    Path both = directory.resolve("two.jfr");
    for (int process = 0; process < 2; process++) {
      Path file = directory.resolve(process + ".jfr");
      ManyStacks.record(
          file,
          store -> {
            long thread = store.thread(7, "worker", 2, false, 0, null);
            long call = store.method(MethodDefinition.java("a.B", "run", "()V", 1, ""));
            long node = store.node(EventStore.ROOT, call, 4, -1, 0);
            for (int i = 0; i < 600; i++) {
              long time = System.nanoTime() - 20_000_000_000L + i * 10_000_000L;
              store.write(new SampleRecord().begin(CPU, time, 6_000_000).stack(thread, node, 0, 0));
            }
          });
      Files.write(
          both, Files.readAllBytes(file), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
    String text = report(SampledRecording.open(both), false);
    assertFalse(text.contains("THREADS THAT KEEP"), text);
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
    assertTrue(
        text.replaceAll("\\s+", " ")
            .contains("1 of 1 samples, 100.0 % of the CPU time, have no stack at all"),
        text);
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
  void theLargestChangeComesFirst() throws Exception {
    SampledRecording before = methods("before", 500, 300, 200, 0);
    SampledRecording after = methods("after", 500, 200, 0, 300);
    StringBuilder text = new StringBuilder();
    new Comparison(before, after).write("", List.of(), false, text);
    List<String> changed = new ArrayList<>();
    for (String line : text.toString().split("\n")) {
      if (line.contains(" app.Main.")) {
        changed.add(line.strip().split(" ")[0] + line.substring(line.lastIndexOf(' ')));
      }
    }
    assertEquals(List.of("+30.0 app.Main.d", "-20.0 app.Main.c", "-10.0 app.Main.b"), changed);
  }

  /** So many samples of methods a, b, … */
  private SampledRecording methods(String name, int... counts) throws Exception {
    return ManyStacks.record(
        directory.resolve(name + ".jfr"),
        store -> {
          long thread = store.thread(1, "main", 1, false, 0, null);
          for (int i = 0; i < counts.length; i++) {
            String method = String.valueOf((char) ('a' + i));
            long id = store.method(MethodDefinition.java("app.Main", method, "()V", 1, ""));
            long node = store.node(EventStore.ROOT, id, 4, -1, 0);
            for (int sample = 0; sample < counts[i]; sample++) {
              ManyStacks.sample(store, thread, 0, 1_000_000, node, 0, 0);
            }
          }
        });
  }

  /** Names are as top shows them, with what differs from run to run. */
  @Test
  void aLimitMayNameALambdaOfOneRun() throws Exception {
    SampledRecording[] runs = new SampledRecording[2];
    for (int i = 0; i < 2; i++) {
      String type = "a.B$$Lambda$" + (95 + i) + "/0x00007efde401" + i + "b48";
      runs[i] =
          ManyStacks.record(
              directory.resolve("lambda" + i + ".jfr"),
              store -> {
                long thread = store.thread(1, "main", 1, false, 0, null);
                long method = store.method(MethodDefinition.java(type, "run", "()V", 1, ""));
                long node = store.node(EventStore.ROOT, method, 4, -1, 0);
                for (int sample = 0; sample < 30; sample++) {
                  ManyStacks.sample(store, thread, 0, 1_000_000, node, 0, 0);
                }
              });
    }
    StringBuilder text = new StringBuilder();
    Limit limit = Limit.parse("a.B$$Lambda$96/0x00007efde4011b48.run +5pp");
    assertEquals(
        List.of(), new Comparison(runs[0], runs[1]).write("", List.of(limit), false, text));
    assertTrue(
        text.toString().contains("Before: 30 samples only: shares are rough"), text::toString);
  }

  @Test
  void namesOfOneRunAreCompared() {
    assertEquals("a.B$$Lambda.run", Names.ofAllRuns("a.B$$Lambda$95/0x00007efde4011b48.run"));
    assertEquals("a.B$$Lambda.run", Names.ofAllRuns("a.B$$Lambda/0x00007efde4011b48.run"));
    assertEquals("LambdaForm$MH.invoke", Names.ofAllRuns("LambdaForm$MH/0x00007f.invoke"));
    assertEquals("jdk.proxy1.$Proxy.run", Names.ofAllRuns("jdk.proxy1.$Proxy12.run"));
    assertEquals("libz.so+0x132a0", Names.ofAllRuns("libz.so+0x132a0"));
    assertEquals(
        "jdk.GeneratedMethodAccessor.invoke",
        Names.ofAllRuns("jdk.GeneratedMethodAccessor7.invoke"));
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
