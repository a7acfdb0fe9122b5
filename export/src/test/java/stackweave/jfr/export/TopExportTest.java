package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.jfr.event.SampleRecord.Kind.CPU;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.SamplerFigures;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.ModuleDefinition;
import stackweave.jfr.store.StoreLimits;

/** The tables say what can be counted in the collapsed stacks of the same recording. */
class TopExportTest {
  private static final TopExport.Options ALL = new TopExport.Options(9_999, false, true, 9_999);
  private static final Pattern ROW = Pattern.compile(" *([<>]?[\\d.]+ %) +([\\d.,]+(?: %)?)  (.*)");
  private static final int NATIVE = 0;
  private static final int C2 = 4;
  private static final int STUB = 7;

  @TempDir Path directory;

  @Test
  void sharesAreThoseOfTheCollapsedStacks() throws Exception {
    SampledRecording profile = workload();
    Map<String, List<String[]>> tables = tables(top(profile, ALL));

    // The second computation: nothing but the text of the collapsed stacks.
    Map<String, Long> self = new TreeMap<>();
    Map<String, Long> total = new TreeMap<>();
    Map<String, Long> librarySelf = new TreeMap<>();
    Map<String, Long> libraryTotal = new TreeMap<>();
    long all = 0;
    for (String line : collapsed(profile, false).split("\n")) {
      long count = Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
      List<String> frames =
          new ArrayList<>(Arrays.asList(line.substring(0, line.lastIndexOf(' ')).split(";")));
      frames.removeIf(f -> f.equals("[truncated]") || f.startsWith("[stopped: "));
      all += count;
      self.merge(frames.get(frames.size() - 1), count, Long::sum);
      new HashSet<>(frames).forEach(f -> total.merge(f, count, Long::sum));
      List<String> libraries = frames.stream().map(TopExportTest::library).toList();
      librarySelf.merge(libraries.get(libraries.size() - 1), count, Long::sum);
      new HashSet<>(libraries).forEach(l -> libraryTotal.merge(l, count, Long::sum));
    }

    assertTable(tables.get("FUNCTION"), self, total, all);
    assertTable(tables.get("LIBRARY"), librarySelf, libraryTotal, all);
    assertTrue(
        total.get(
                "JavaCalls::call_helper(JavaValue*, methodHandle const&,"
                    + " JavaCallArguments*, JavaThread*) [libjvm.so]")
            < all,
        "counted once where it recurs");
  }

  @Test
  void threadsAreThoseOfTheCollapsedStacks() throws Exception {
    SampledRecording profile = few();
    Map<String, Long> samples = new LinkedHashMap<>();
    for (String line : collapsed(profile, true).split("\n")) {
      samples.merge(
          line.substring(1, line.indexOf(']')),
          Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)),
          Long::sum);
    }
    List<String[]> rows = tables(top(profile, ALL)).get("THREAD");
    assertEquals(2, rows.size());
    for (String[] row : rows) {
      String name = row[2].replace(" (2 threads)", "");
      assertEquals(samples.get(name).toString(), row[1], row[2]);
    }
    assertEquals("pool (2 threads)", rows.get(0)[2]);
  }

  @Test
  void recursionCountsOnceAndCpuTimeIsTheWeight() throws Exception {
    SampledRecording profile = few();
    String text = top(profile, new TopExport.Options(0, false, false, 80));
    List<String[]> rows = tables(text).get("FUNCTION");
    // 4 samples of 10 ms in fib, called by itself; 1 of 60 ms in sort.
    assertEquals(List.of("60.0 %", "60.0 %", "sort [libapp.so]"), List.of(rows.get(0)));
    assertEquals(List.of("40.0 %", "40.0 %", "app.Main.fib"), List.of(rows.get(1)));
    assertTrue(text.contains("Shares of the 0.10 s of CPU time"), text);

    List<String[]> bySamples =
        tables(top(profile, new TopExport.Options(0, false, true, 80))).get("FUNCTION");
    assertEquals(List.of("80.0 %", "80.0 %", "app.Main.fib"), List.of(bySamples.get(0)));

    List<String[]> byTotal =
        tables(top(profile, new TopExport.Options(0, true, false, 80))).get("FUNCTION");
    assertEquals(List.of("0.0 %", "100.0 %", "start [libapp.so]"), List.of(byTotal.get(0)));
  }

  @Test
  void whatTheFiguresLackIsSaid() throws Exception {
    String few = top(few(), new TopExport.Options(0, false, false, 80));
    assertTrue(few.contains("! 5 samples only: shares are rough\n"), few);
    assertTrue(few.contains("! 1 of 5 stacks are cut: they do not reach"), few);
    String many = top(workload(), new TopExport.Options(0, false, false, 80));
    assertFalse(many.contains("samples only"), many);
    assertTrue(many.contains("! 5 of "), many);
  }

  /** A fact, unlike a note, has no mark; it is longer than a line all the same. */
  @ParameterizedTest
  @CsvSource({"80", "60", "40"})
  void aLongFactIsWrappedAndNotCut(int width) throws Exception {
    String text = top(begun(), new TopExport.Options(0, false, false, width));
    String head = text.substring(0, text.indexOf("\n\n"));
    assertFalse(head.contains("..."), head);
    assertTrue(
        head.replaceAll("\\s+", " ")
            .contains(
                "sampling began 0.09 s after the recording; 0.05 s of CPU time used while it did"
                    + " not run are missing (3 %)"),
        head);
    for (String line : head.split("\n")) {
      assertTrue(ShortNames.columns(line) <= width, line);
    }
  }

  /** One of the statuses has no samples: at its interval none was taken. */
  @Test
  void allIntervalsAreSaid() throws Exception {
    String text = top(begun(), new TopExport.Options(0, false, false, 200));
    assertTrue(text.contains("Interval 5 ms to 10 ms"), text);
    String one = top(workload(), new TopExport.Options(0, false, false, 200));
    assertTrue(one.contains("Interval 10 ms;"), one);
  }

  @Test
  void functionsAloneAreThoseOfTheTables() throws Exception {
    TopExport.Options eight = new TopExport.Options(8, false, false, 80);
    StringBuilder alone = new StringBuilder();
    new TopExport("workload.jfr", eight).writeFunctions(workload(), alone);
    assertEquals(10, alone.toString().lines().count(), alone.toString());
    assertTrue(alone.toString().startsWith("   SELF   TOTAL  FUNCTION\n"), alone.toString());
    assertTrue(top(workload(), eight).contains("\n\n" + alone + "\n"), alone.toString());
  }

  @Test
  void theRestIsSummedUp() throws Exception {
    String text = top(few(), new TopExport.Options(1, false, false, 80));
    List<String[]> rows = tables(text).get("FUNCTION");
    assertEquals(1, rows.size());
    assertTrue(text.contains(" 40.0 %          in 2 more functions\n"), text);
  }

  @ParameterizedTest
  @CsvSource({"80", "40", "61", "200"})
  void noLineIsWider(int width) throws Exception {
    for (boolean byTotal : new boolean[] {false, true}) {
      TopExport.Options options = new TopExport.Options(200, byTotal, false, width);
      StringBuilder text = new StringBuilder();
      new TopExport("a name \u4e2d\u6587 ".repeat(30) + ".jfr", options)
          .writeText(workload(), text);
      for (String line : text.toString().split("\n")) {
        assertTrue(ShortNames.columns(line) <= width, line);
      }
    }
  }

  @Test
  void aNameSendsNothingToTheTerminal() throws Exception {
    Path file = directory.resolve("hostile.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      try (EventStore store = EventStore.open(Workload.SESSION, StoreLimits.DEFAULT)) {
        String name = "\u001b[2J\u009b31m\n\u202e\u2028\ud800x\udb40\udc41";
        long thread = store.thread(1, name, 1, false, 0, null);
        long method = store.method(MethodDefinition.java("p.T", name, "()V", 1, ""));
        sample(store, thread, store.node(EventStore.ROOT, method, C2, -1, 0), 10, 0);
      }
      recording.dump(file);
    }
    String text = top(SampledRecording.open(file), ALL);
    text.codePoints()
        .filter(c -> c != '\n')
        .forEach(
            c -> {
              int type = Character.getType(c);
              assertFalse(
                  type == Character.CONTROL
                      || type == Character.FORMAT
                      || type == Character.SURROGATE
                      || type == Character.LINE_SEPARATOR,
                  () -> Integer.toHexString(c));
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "com.example.orders.Archive.store | 32 | com.example.orders.Archive.store",
        "com.example.orders.Archive.store | 31 | c.example.orders.Archive.store",
        "com.example.orders.Archive.store | 25 | c.e.orders.Archive.store",
        "com.example.orders.Archive.store | 20 | c.e.o.Archive.store",
        "com.example.orders.Depository.store | 20 | Depository.store",
        "com.example.VeryLongNameOfAClass.store | 20 | VeryLo...Class.store",
        "snappy::RawCompress(char const*, unsigned long) [libsnappy.so] | 40"
            + " | snappy::RawCompress(...) [libsnappy.so]",
        "std::map<a, std::list<b>>::insert(a const&) [libx.so] | 36"
            + " | std::map<...>::insert(...) [libx.so]",
        "(anonymous namespace)::walk(int, long) const [libx.so] | 50"
            + " | (anonymous namespace)::walk(...) const [libx.so]",
        "a::b::operator()(int, long, double) const [libx.so] | 40"
            + " | a::b::operator()(...) const [libx.so]",
        "LZ4_compress_fast [liblz4-java-9488890416994124037.so] | 40"
            + " | LZ4_compress_fast [liblz4-ja...24037.so]",
      })
  void namesKeepWhatTellsThemApart(String name, int columns, String expected) {
    assertEquals(expected, ShortNames.fit(name, columns));
  }

  @Test
  void everyNameFits() {
    for (String name :
        List.of(
            "a.b.C.d",
            "x".repeat(300),
            "p.".repeat(80) + "Type." + "method".repeat(30),
            "f".repeat(90) + " [" + "lib".repeat(50) + ".so]",
            "g [" + "lib".repeat(50) + ".so]",
            "..a..b..",
            "\u4e2d".repeat(60) + "." + "\ud83d\ude00".repeat(40))) {
      for (int columns = 20; columns < 120; columns++) {
        String fitted = ShortNames.fit(name, columns);
        assertTrue(ShortNames.columns(fitted) <= columns, columns + ": " + fitted);
        assertEquals(fitted, Names.encodable(fitted), "half a character");
      }
    }
  }

  // ---- reading the tables

  private static void assertTable(
      List<String[]> rows, Map<String, Long> self, Map<String, Long> total, long all) {
    assertEquals(total.keySet(), new HashSet<>(rows.stream().map(row -> row[2]).toList()));
    assertEquals(total.size(), rows.size());
    long before = Long.MAX_VALUE;
    for (String[] row : rows) {
      long own = self.getOrDefault(row[2], 0L);
      assertEquals(percent(own, all), row[0], row[2]);
      assertEquals(percent(total.get(row[2]), all), row[1], row[2]);
      assertTrue(own <= before, "order at " + row[2]);
      before = own;
    }
  }

  private static String percent(long part, long all) {
    double percent = 100.0 * part / all;
    return part > 0 && percent < 0.05
        ? "<0.1 %"
        : part < all && percent >= 99.95
            ? ">99.9 %"
            : String.format(Locale.ROOT, "%.1f %%", percent);
  }

  /** The rows of each table by the heading of its last column. */
  private static Map<String, List<String[]>> tables(String text) {
    Map<String, List<String[]>> tables = new LinkedHashMap<>();
    List<String[]> rows = null;
    for (String line : text.split("\n")) {
      Matcher row = ROW.matcher(line);
      if (line.matches(" +S[A-Z]+ +[A-Z]+ +[A-Z]+")) {
        rows = new ArrayList<>();
        tables.put(line.substring(line.lastIndexOf(' ') + 1), rows);
      } else if (rows != null && row.matches()) {
        rows.add(new String[] {row.group(1), row.group(2), row.group(3)});
      }
    }
    return tables;
  }

  private static String library(String frame) {
    if (frame.endsWith("]")) {
      String module = frame.substring(frame.lastIndexOf('[') + 1, frame.length() - 1);
      return module.equals("libjvm.so") ? "JVM (libjvm.so)" : module;
    }
    return frame.contains(".") ? "Java" : "JVM (stubs, interpreter)";
  }

  private static String top(SampledRecording profile, TopExport.Options options) throws Exception {
    StringBuilder text = new StringBuilder();
    new TopExport("workload.jfr", options).writeText(profile, text);
    return text.toString();
  }

  private static String collapsed(SampledRecording profile, boolean threads) throws Exception {
    StringBuilder text = new StringBuilder();
    ExportedStacks.collapsed(threads).writeText(profile, text);
    return text.toString();
  }

  private SampledRecording workload() throws Exception {
    Path file = directory.resolve("workload.jfr");
    Workload.record(file);
    return SampledRecording.open(file);
  }

  /** Five samples: a recursive function's, and a heavier one of a stack that is cut. */
  private SampledRecording few() throws Exception {
    Path file = directory.resolve("few.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      try (EventStore store = EventStore.open(Workload.SESSION, StoreLimits.DEFAULT)) {
        long module =
            store.module(
                new ModuleDefinition("/opt/libapp.so", "", 4096, 8192, "eh_frame", "", 10, "sym"));
        long start = store.method(MethodDefinition.symbol(module, "start", 0));
        long sort = store.method(MethodDefinition.symbol(module, "sort", 64));
        long fib = store.method(MethodDefinition.java("app.Main", "fib", "(I)I", 1, ""));
        long one = store.thread(10, "pool", 1, false, 0, null);
        long two = store.thread(11, "pool", 2, false, 0, null);
        long other = store.thread(12, "other", 3, false, 0, null);
        long root = store.node(EventStore.ROOT, start, NATIVE, -1, 0);
        long outer = store.node(root, fib, C2, 3, 0);
        long inner = store.node(store.node(outer, fib, STUB - 2, 4, 0), fib, 2, 5, 0);
        sample(store, one, outer, 10, 0);
        sample(store, one, inner, 10, 0);
        sample(store, two, inner, 10, 0);
        sample(store, two, inner, 10, 0);
        sample(store, other, store.node(root, sort, NATIVE, -1, 0), 60, 2);
      }
      recording.dump(file);
    }
    return SampledRecording.open(file);
  }

  /** Sampling began late, at 10 ms, and went on at 5 ms. */
  private SampledRecording begun() throws Exception {
    return ManyStacks.record(
        directory.resolve("begun.jfr"),
        store -> {
          long thread = store.thread(1, "main", 1, false, 0, null);
          long method = store.method(MethodDefinition.java("a.B", "run", "()V", 1, ""));
          long node = store.node(EventStore.ROOT, method, C2, -1, 0);
          for (int i = 0; i < 200; i++) {
            sample(store, thread, node, i < 100 ? 10 : 5, 0);
          }
          store.status(status(20, 0, 0));
          store.status(status(10, 100, 1_000_000_000L));
          store.status(status(5, 200, 1_500_000_000L));
        });
  }

  /** The sums since the start, of which the store writes what is new. */
  private static SamplerFigures status(long millis, long taken, long covered) {
    Counters counters =
        new Counters()
            .set(Counter.INTERVAL, millis * 1_000_000)
            .set(Counter.TAKEN, taken)
            .set(Counter.WRITTEN, taken)
            .set(Counter.CPU_COVERED, covered)
            .set(Counter.CPU_USED, covered + 50_000_000)
            .set(Counter.CPU_MISSED, 50_000_000)
            .set(Counter.START_DELAY, 90_000_000);
    return new SamplerFigures("perf", "", "", counters, Map.of());
  }

  private static void sample(EventStore store, long thread, long stack, long millis, int end) {
    assertTrue(
        store.write(
            new SampleRecord()
                .begin(CPU, System.nanoTime(), millis * 1_000_000)
                .stack(thread, stack, end, 0)));
  }
}
