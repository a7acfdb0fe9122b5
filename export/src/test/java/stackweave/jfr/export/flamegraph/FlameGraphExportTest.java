package stackweave.jfr.export.flamegraph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.jfr.event.SampleRecord.Kind.CPU;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.export.ExportedStacks;
import stackweave.jfr.export.ManyStacks;
import stackweave.jfr.export.RecordingFacts;
import stackweave.jfr.export.Texts;
import stackweave.jfr.export.TimedWork;
import stackweave.jfr.export.Workload;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;

/** The page says what the collapsed stacks and the samples themselves say: its data is decoded. */
class FlameGraphExportTest {
  @TempDir Path directory;

  @Test
  void thePageHoldsTheCollapsedStacks() throws Exception {
    SampledRecording profile = workload();
    StringBuilder collapsed = new StringBuilder();
    ExportedStacks.collapsed(false).writeText(profile, collapsed);
    assertEquals(collapsed.toString(), new FlamePageData(page(profile, false)).collapse());
  }

  @Test
  void threadsComeFirst() throws Exception {
    SampledRecording profile = workload();
    StringBuilder collapsed = new StringBuilder();
    ExportedStacks.collapsed(true).writeText(profile, collapsed);
    assertEquals(collapsed.toString(), new FlamePageData(page(profile, true)).collapse());
  }

  /** Cells are 20 ms from the first sample on; each sample is counted by its own time here. */
  @Test
  void cellsHaveTheSamplesOfTheirTime() throws Exception {
    SampledRecording profile = TimedWork.record(directory.resolve("timed.jfr"), 50);
    FlamePageData data = new FlamePageData(page(profile, false));
    assertEquals(20, data.head.get("cellMillis").getAsDouble());
    assertEquals(500, data.head.get("cells").getAsInt());
    Map<String, Long> expected = new TreeMap<>();
    long first = Texts.nanos(profile.first());
    profile.forEachSample(
        sample -> {
          String innermost = sample.frames().get(sample.frames().size() - 1).text();
          long cell = (Texts.nanos(sample.time()) - first) / 20_000_000;
          expected.merge(
              String.join(" ", sample.thread().text(), sample.state(), innermost, "" + cell),
              1L,
              Long::sum);
        });
    Map<String, Long> found = new TreeMap<>();
    for (FlamePageData.Stack stack : data.stacks) {
      for (FlamePageData.Cell cell : stack.cells()) {
        String innermost = stack.node().look().text();
        found.merge(
            String.join(" ", stack.thread(), stack.state(), innermost, "" + cell.cell()),
            cell.count(),
            Long::sum);
        assertEquals(10_000 * cell.count(), cell.micros());
      }
    }
    assertEquals(expected, found);
  }

  @Test
  void aRecordingOpenedWithoutTimesHasNoCells() throws Exception {
    FlamePageData data = new FlamePageData(page(workload(), false));
    assertEquals(0, data.head.get("cells").getAsInt());
    assertTrue(data.stacks.stream().allMatch(stack -> stack.cells().isEmpty()));
  }

  @Test
  void severalRecordingsAreSummedUp() throws Exception {
    SampledRecording one = TimedWork.record(directory.resolve("one.jfr"), 50);
    SampledRecording two = TimedWork.record(directory.resolve("two.jfr"), 10);
    StringBuilder page = new StringBuilder();
    new FlameGraphExport("both", false).with(List.of(two)).writeText(one, page);
    FlamePageData data = new FlamePageData(page.toString());
    long all = data.stacks.stream().mapToLong(FlamePageData.Stack::count).sum();
    assertEquals(2L * TimedWork.SAMPLES, all);
    long inCells =
        data.stacks.stream()
            .flatMap(stack -> stack.cells().stream())
            .mapToLong(FlamePageData.Cell::count)
            .sum();
    assertEquals(all, inCells);
  }

  @Test
  void theRecordingComparedWithIsApart() throws Exception {
    SampledRecording before = TimedWork.record(directory.resolve("before.jfr"), 10);
    SampledRecording after = TimedWork.record(directory.resolve("after.jfr"), 50);
    StringBuilder page = new StringBuilder();
    new FlameGraphExport("after", false).comparedWith("before", before).writeText(after, page);
    FlamePageData data = new FlamePageData(page.toString());
    assertEquals("before", data.head.get("before").getAsString());
    for (boolean isBefore : List.of(true, false)) {
      long slow =
          data.stacks.stream()
              .filter(stack -> stack.isBefore() == isBefore)
              .filter(stack -> stack.node().look().text().equals("app.Main.slow"))
              .mapToLong(FlamePageData.Stack::count)
              .sum();
      assertEquals(isBefore ? 20 : 100, slow);
    }
  }

  /** 300 callers of one function, whose leaves are equally rare; AFTER has four times as many. */
  @Test
  void bothSidesOfAComparisonArePrunedAlike() throws Exception {
    FlameTree tree = new FlameTree(false, true, false);
    tree.add(leaves("after.jfr", 300, 4), false);
    tree.add(leaves("before.jfr", 300, 1), true);
    assertEquals(901, tree.count(), "both have the same nodes");
    tree.prune(700);
    assertTrue(kept(tree) <= 700 && kept(tree) > 690, "kept: " + kept(tree));
    long[] hash = new long[2];
    for (FlameTree.Stack stack : tree.stacks) {
      FlameTree.Look look = tree.looks.get(tree.look(stack.node()));
      int text = tree.functions.get(look.function()).text();
      boolean isHash = tree.strings.get(text).equals("a.Util.hash");
      hash[stack.isBefore() ? 1 : 0] += isHash ? stack.count() : 0;
    }
    assertEquals(hash[0], 4 * hash[1]);
    assertTrue(hash[1] > 0 && hash[1] < 300, "pruned: " + hash[1]);
  }

  @Test
  void ofEquallyRareFramesAsManyAsFitStay() throws Exception {
    FlameTree tree = new FlameTree(false, false, false);
    tree.add(leaves("many.jfr", 300, 1), false);
    tree.prune(900);
    // One node too many: two are cut, since what stands for them is one, too.
    assertEquals(900, kept(tree));
    long all = tree.stacks.stream().mapToLong(FlameTree.Stack::count).sum();
    assertEquals(300, all);
  }

  private static int kept(FlameTree tree) {
    int kept = 0;
    for (int node = 0; node < tree.count(); node++) {
      kept += tree.isLeftOut(node) ? 0 : 1;
    }
    return kept;
  }

  private SampledRecording leaves(String name, int callers, int samples) throws Exception {
    return ManyStacks.record(
        directory.resolve(name),
        store -> {
          long thread = store.thread(1, "main", 1, false, 0, null);
          long hash = store.method(MethodDefinition.java("a.Util", "hash", "()V", 1, ""));
          for (int i = 0; i < callers; i++) {
            long outer = store.method(MethodDefinition.java("a.H" + i, "handle", "()V", 1, ""));
            long inner = store.method(MethodDefinition.java("a.Q" + i, "query", "()V", 1, ""));
            long node = store.node(EventStore.ROOT, outer, ManyStacks.C2, 5, 0);
            long leaf = store.node(store.node(node, inner, ManyStacks.C2, 6, 0), hash, 4, 7, 0);
            for (int j = 0; j < samples; j++) {
              ManyStacks.sample(store, thread, 0, 1_000_000, leaf, 0, 0);
            }
          }
        });
  }

  @Test
  void thePageNeedsNothingElse() throws Exception {
    String page = page(workload(), false);
    assertTrue(page.contains("default-src 'none'"), "the policy that forbids the network");
    assertFalse(
        Pattern.compile("(src|href)\\s*=|https?://|@import|url\\(|@[a-z.]+@").matcher(page).find(),
        "a reference to somewhere else");
  }

  @Test
  void theSameProfileGivesTheSamePage() throws Exception {
    SampledRecording profile = workload();
    assertEquals(page(profile, false), page(profile, false));
  }

  @Test
  void howFramesWereFoundIsThere() throws Exception {
    SessionInfo info = new SessionInfo("", "", "0=native", "0=complete", "0", "", "6=by jump", "6");
    Path file = directory.resolve("guesses.jfr");
    try (Recording recording = new Recording();
        EventStore store = EventStore.open(info, StoreLimits.DEFAULT)) {
      recording.start();
      long thread = store.thread(1, "main", 1, false, 0, null);
      long outer = store.method(MethodDefinition.symbol(0, "outer", 0));
      long inner = store.method(MethodDefinition.symbol(0, "inner", 0));
      long root = store.node(EventStore.ROOT, outer, 0, -1, 1);
      store.write(
          new SampleRecord()
              .begin(CPU, System.nanoTime(), 1)
              .stack(thread, store.node(root, inner, 0, -1, 2), 0, 0));
      store.write(
          new SampleRecord()
              .begin(CPU, System.nanoTime(), 1)
              .stack(thread, store.node(root, inner, 0, -1, 2, 6), 0, 0));
      store.flush();
      recording.dump(file);
    }
    SampledRecording profile = SampledRecording.open(file);
    FlamePageData data = new FlamePageData(page(profile, false));
    List<String> ways =
        data.stacks.stream()
            .map(stack -> stack.node().look().way())
            .map(way -> way.label() + " " + way.isGuess())
            .sorted()
            .toList();
    assertEquals(List.of(" false", "by jump true"), ways);
    List<String> facts =
        RecordingFacts.of(profile).stream().map(fact -> String.join(": ", fact)).toList();
    assertTrue(facts.contains("Complete with guessed frames: 50.00 %"), facts::toString);
  }

  @Test
  void librariesAndLinesAreThere() throws Exception {
    SampledRecording profile = TimedWork.record(directory.resolve("timed.jfr"), 50);
    FlamePageData data = new FlamePageData(page(profile, false));
    FlamePageData.Look deflate =
        data.nodes.stream()
            .map(FlamePageData.Node::look)
            .filter(look -> look.text().equals("deflate [libzip.so]"))
            .findFirst()
            .orElseThrow();
    assertEquals("/opt/app/libzip.so", deflate.module().path());
    assertEquals("0123456789abcdef", deflate.module().buildId());
    assertEquals("eh_frame", deflate.module().rules());
    assertTrue(data.nodes.stream().anyMatch(node -> node.look().line() == 17));
  }

  @Test
  void hostileNamesAreNoMarkup() throws Exception {
    ManyStacks.all(directory);
    SampledRecording profile =
        SampledRecording.openTimed(directory.resolve("all.jfr"), ReadingProgress.NONE);
    String page = page(profile, true, ManyStacks.HOSTILE);
    assertEquals(3, page.split("</script>", -1).length - 1, "script elements ended");
    assertFalse(page.contains("<b onclick"), "markup out of a name");
  }

  @Test
  void whatIsNotThereIsSaidInColour() throws Exception {
    Path file = directory.resolve("short.jfr");
    Workload.recordShort(file);
    SampledRecording profile = SampledRecording.open(file);
    List<String> warnings =
        List.of(
            "7 samples only: shares are rough",
            "sampling began 1.7 s after the recording; 1.9 s of CPU time used while it did not run"
                + " are missing (86 %)",
            "recording 1 asks for engine 'foo', which is unknown");
    assertEquals(warnings, profile.warnings());
    String page = page(profile, false);
    assertTrue(page.contains("[\"CPU time covered\",\"0.07 s of 2.21 s used (3.16 %)\",\"warn\"]"));
    assertTrue(
        page.contains("[\"Interval\",\"asked 1 ms, about 4 ms: this kernel's clock tick\"]"), page);
    for (String warning : warnings) {
      assertTrue(page.contains(warning), warning);
    }
  }

  /** Of a usual recording nothing is said that need not be. */
  @Test
  void whatIsThereIsNotSaid() throws Exception {
    SampledRecording profile = workload();
    assertEquals(List.of(), profile.warnings());
    assertTrue(page(profile, false).contains("15.94 s used (97.23 %)\",\"\"]"));
  }

  private SampledRecording workload() throws Exception {
    Path file = directory.resolve("workload.jfr");
    Workload.record(file);
    return SampledRecording.open(file);
  }

  static String page(SampledRecording profile, boolean threads) throws IOException {
    return page(profile, threads, "workload.jfr");
  }

  static String page(SampledRecording profile, boolean threads, String title) throws IOException {
    StringBuilder page = new StringBuilder();
    new FlameGraphExport(title, threads).writeText(profile, page);
    return page.toString();
  }
}
