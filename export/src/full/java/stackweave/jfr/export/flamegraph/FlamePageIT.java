package stackweave.jfr.export.flamegraph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import stackweave.jfr.Programs;
import stackweave.jfr.export.ManyStacks;
import stackweave.jfr.export.Texts;
import stackweave.jfr.export.TimedWork;
import stackweave.jfr.export.WaitingWork;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.Sample;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.read.time.TimeCells;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;

/**
 * The flame graph's page in a headless Chromium, clicked and typed in as a person does. Figures are
 * compared with sums over the recording's samples. Skipped where there is no Chromium. With {@code
 * -Dflamegraph.pictures=DIR} the documentation's pictures are written, too.
 */
@ResourceLock(Programs.OWN_JFR)
class FlamePageIT {
  private static final int WIDTH = 1200;
  private static final int HEIGHT = 800;
  private static final int SHIFT = 8;

  @TempDir private static Path directory;
  private static Browser browser;
  private static SampledRecording timed;
  private static Path timedPage;

  @BeforeAll
  static void start() throws Exception {
    browser = Browser.start(directory);
    timed = TimedWork.record(directory.resolve("timed.jfr"), 50);
    timedPage = page("timed", timed, false);
  }

  @AfterAll
  static void stop() {
    if (browser != null) {
      browser.close();
    }
  }

  @Test
  void aClickZoomsAndBackspaceGoesBack() throws Exception {
    open(timedPage, "");
    assertEquals("all", browser.text("path"));
    double[] at = frame("app.Zip.pack");
    browser.click(at[0], at[1], 0);
    assertTrue(browser.text("path").endsWith("Zip.pack"), browser.text("path"));
    assertTrue(hash().contains("z="), hash());
    browser.key("Backspace", 0);
    assertEquals("all", browser.text("path"));
    assertFalse(hash().contains("z="), hash());
  }

  @Test
  void theSearchSaysTheShareAndGoesThroughItsMatches() throws Exception {
    open(timedPage, "");
    browser.key("/", 0);
    browser.type("tree\\.|^deflate");
    long matched = count(s -> has(s, "app.Tree.walk") || has(s, "deflate [libzip.so]"));
    assertEquals(percent(matched, TimedWork.SAMPLES) + " matched", browser.text("matched"));
    assertEquals("1 of 5", browser.text("step"));
    String first = browser.text("current");
    browser.key("Enter", 0);
    assertEquals("2 of 5", browser.text("step"));
    assertNotEquals(first, browser.text("current"));
    browser.key("Enter", SHIFT);
    assertEquals(first, browser.text("current"));
    browser.key("Enter", SHIFT);
    assertEquals("5 of 5", browser.text("step"));
    browser.key("Escape", 0);
    assertEquals("", browser.text("matched"));
  }

  /** What is no expression matches nothing, and nothing is dimmed because of it. */
  @Test
  void anInvalidSearchMatchesNothingAndIsSaid() throws Exception {
    open(timedPage, "");
    String color = colorOf("app.Zip.pack");
    browser.key("/", 0);
    browser.type("[");
    assertEquals("not a valid regular expression", browser.text("matched"));
    String title = browser.eval("document.getElementById('matched').title").getAsString();
    assertTrue(title.contains("Invalid regular expression"), title);
    assertTrue(browser.eval("document.getElementById('steps').hidden").getAsBoolean());
    assertTrue(browser.eval("document.getElementById('search').matches('.bad')").getAsBoolean());
    assertEquals(color, colorOf("app.Zip.pack"));
    browser.eval("document.getElementById('search').focus()");
    browser.type("z]ip\\.pack");
    assertTrue(browser.text("matched").endsWith(" % matched"), browser.text("matched"));
    assertEquals("1 of 1", browser.text("step"));
    assertFalse(browser.eval("document.getElementById('search').matches('.bad')").getAsBoolean());
    browser.eval(
        "const box = document.getElementById('search'); box.value = '(';"
            + " box.dispatchEvent(new Event('input'))");
    browser.click("#reset");
    assertEquals("", browser.text("matched"));
    assertNothingWrong();
  }

  @Test
  void aMatchIsScrolledTo() throws Exception {
    Path file = directory.resolve("deep.jfr");
    deep(file, 10_000);
    browser.open(page("deep", timed(file), false), "", 700, 400);
    browser.key("/", 0);
    browser.type("number_9000\\b");
    browser.frame();
    double top = browser.eval("document.getElementById('scroll').scrollTop").getAsDouble();
    double height = browser.eval("document.getElementById('space').offsetHeight").getAsDouble();
    assertTrue(height > 190_000, "rows of 19 px: " + height);
    // The root is lowest: frame 9,000 is a tenth from the top.
    assertEquals(0.1, top / height, 0.005);
    assertTrue(browser.text("matched").endsWith(" % matched"));
    assertNothingWrong();
  }

  @Test
  void aRangeOfTimeIsDragged() throws Exception {
    open(timedPage, "");
    assertEquals(TimedWork.SAMPLES, shown());
    double[] strip = strip();
    browser.drag(strip[0] + 0.401 * strip[2], strip[0] + 0.599 * strip[2], strip[1], 0);
    int[] range = range("r");
    assertTrue(Math.abs(range[0] - 200) <= 4 && Math.abs(range[1] - 300) <= 4, hash());
    long expected = count(s -> isIn(s, range));
    assertEquals(expected, shown());
    assertTrue(browser.text("rangeText").startsWith("Range 4.0"), browser.text("rangeText"));
    // The graph follows: slow is in that time only.
    browser.key("/", 0);
    browser.type("app.Main.slow");
    long slow = count(s -> isIn(s, range) && has(s, "app.Main.slow"));
    assertEquals(percent(slow, expected) + " matched", browser.text("matched"));
    browser.click("#rangeAll");
    assertEquals(TimedWork.SAMPLES, shown());
  }

  @Test
  void aSecondRangeGivesTheDifference() throws Exception {
    open(timedPage, "n=functions");
    double[] strip = strip();
    browser.drag(strip[0] + 0.401 * strip[2], strip[0] + 0.599 * strip[2], strip[1], 0);
    browser.drag(strip[0] + 0.05 * strip[2], strip[0] + 0.30 * strip[2], strip[1], SHIFT);
    int[] range = range("r");
    int[] base = range("b");
    tab("Changes");
    List<List<String>> rows = rows();
    double now = share("app.Main.slow", range);
    double then = share("app.Main.slow", base);
    List<String> slow =
        rows.stream().filter(r -> r.get(3).contains("app.Main.slow")).findFirst().orElseThrow();
    assertEquals(points(now - then), slow.get(0));
    assertFalse(slow.get(3).contains("noise"), slow.get(3));
    List<String> zip =
        rows.stream().filter(r -> r.get(3).contains("app.Zip.pack")).findFirst().orElseThrow();
    assertTrue(zip.get(3).contains("noise"), zip.get(3));
    browser.click("#swap");
    slow = rows().stream().filter(r -> r.get(3).contains("Main.slow")).findFirst().orElseThrow();
    assertEquals(points(then - now), slow.get(0));
    browser.click("#rangeAll");
    assertFalse(hash().contains("b="), hash());
  }

  @Test
  void theRestOfTheTimeIsABaseline() throws Exception {
    open(timedPage, "n=changes&r=200-300");
    browser.click("#rest");
    tab("Changes");
    int[] range = {200, 300};
    double now = share("app.Tree.walk", range);
    long rest = count(s -> !isIn(s, range));
    double then = (double) count(s -> !isIn(s, range) && has(s, "app.Tree.walk")) / rest;
    List<String> walk =
        rows().stream().filter(r -> r.get(3).contains("Tree.walk")).findFirst().orElseThrow();
    assertEquals(points(now - then), walk.get(0));
    String baseline = String.format(Locale.ROOT, "%,d in the baseline", rest);
    assertTrue(browser.text("tableNote").contains(baseline), browser.text("tableNote"));
  }

  @Test
  void theStripZoomsByTheWheelKeys() throws Exception {
    open(timedPage, "");
    browser.eval("document.getElementById('strip').focus()");
    for (int i = 0; i < 6; i++) {
      browser.key("+", 0);
    }
    assertEquals("Zoom out", browser.text("stripOut"));
    assertTrue(browser.text("stripScale").startsWith("a column is 20 ms"));
    browser.key("ArrowRight", 0);
    int[] first = range("r");
    browser.key("ArrowRight", 0);
    assertEquals(first[0] + 1, range("r")[0]);
    int[] range = range("r");
    assertEquals(count(s -> isIn(s, range)), shown());
  }

  @Test
  void threadsStatesAndKindsAreChosen() throws Exception {
    open(timedPage, "n=threads");
    List<List<String>> rows = rows();
    assertEquals(List.of("50.0 %", "1,000", "zip"), rows.get(0));
    browser.click("#tableRows tr:nth-child(1)");
    assertEquals(count(s -> s.thread().text().equals("zip")), shown());
    assertTrue(browser.text("filters").contains("Threads: zip"));
    assertEquals(2, rows().size(), "the other stays in the table");
    browser.click("#filters button");
    assertEquals(TimedWork.SAMPLES, shown());
    browser.click("#states button:nth-child(2)");
    assertEquals(count(s -> s.state().equals("waiting")), shown());
    browser.click("#states button:nth-child(2)");
    browser.eval(
        "[...document.querySelectorAll('#legend button')]"
            + ".find(b => b.textContent.startsWith('kernel')).click()");
    long kernel = count(s -> innermost(s).equals("ksys_write [kernel]"));
    assertEquals(kernel, shown());
    assertEquals(250, kernel);
    // Nothing is left: it is said, and nothing breaks.
    tab("Threads");
    browser.eval("document.querySelector('#states button:nth-child(2)').click()");
    assertEquals(0, shown());
    assertNothingWrong();
  }

  /** Of wall time frames are as wide as their time, and have the colour of their state. */
  @Test
  void wallTimeIsColouredByState() throws Exception {
    Path file = directory.resolve("wall.jfr");
    WaitingWork.record(file);
    Path page = page("wall", WaitingWork.open(file, SampleChoice.WALL), false);
    open(page, "");
    assertEquals("true", browser.eval("document.getElementById('metric').hidden").toString());
    assertEquals("Colours: states", browser.text("colors"));
    String states = browser.text("states");
    long all = WaitingWork.WORK_NANOS + WaitingWork.IDLE_NANOS;
    for (String chip :
        List.of(
            "park" + percent(WaitingWork.POOL_NANOS, all),
            "socket" + percent(WaitingWork.SOCKET_NANOS, all),
            "on CPU" + percent(WaitingWork.CPU_NANOS, all))) {
      assertTrue(states.contains(chip), chip + " in " + states);
    }
    assertEquals(
        percent(WaitingWork.POOL_NANOS, all),
        shareOf("java.util.concurrent.locks.LockSupport.park"));
    String tip = browser.text("tip");
    assertTrue(tip.contains("Wall time20.00 s") && tip.contains("Mostlypark"), tip);
    assertFalse(tip.contains("Samples"), tip);
    String ofState = colorOf("java.util.concurrent.locks.LockSupport.park");
    browser.click("#colors");
    assertEquals("Colours: kinds of code", browser.text("colors"));
    assertNotEquals(ofState, colorOf("java.util.concurrent.locks.LockSupport.park"));
    assertTrue(hash().contains("c=kind"), hash());
    browser.click("#colors");
    assertEquals(ofState, colorOf("java.util.concurrent.locks.LockSupport.park"));
    // Only one state: the whole is that.
    browser.eval(
        "[...document.querySelectorAll('#states button')]"
            + ".find(b => b.textContent.startsWith('socket')).click()");
    assertTrue(browser.text("filters").contains("State: socket"));
    assertEquals("100 %", shareOf("sun.nio.ch.NioSocketImpl.read"));
    assertNothingWrong();
  }

  /** A wait is where it was, and not where it ended: each cell of it has its part. */
  @Test
  void aLongWaitIsSpreadOverItsTime() throws Exception {
    Path file = directory.resolve("spread.jfr");
    WaitingWork.record(file);
    SampledRecording loop = WaitingWork.open(file, SampleChoice.of(true, List.of("epoll")));
    TimeCells cells = loop.cells().orElseThrow();
    long[] samples = new long[1];
    long[] byCell = new long[cells.count()];
    loop.forEachStackSum(
        (sum, series) ->
            cells.forEach(
                series,
                (cell, count, nanos) -> {
                  samples[0] += count;
                  byCell[cell] += nanos;
                }));
    assertEquals(1, samples[0]);
    assertEquals(WaitingWork.SELECTOR_NANOS, LongStream.of(byCell).sum());
    assertTrue(LongStream.of(byCell).max().orElseThrow() <= 2 * cells.widthNanos(), "a spike");
    open(page("spread", loop, false), "");
    double[] strip = strip();
    browser.drag(strip[0] + 0.401 * strip[2], strip[0] + 0.749 * strip[2], strip[1], 0);
    int[] range = range("r");
    double expected = LongStream.of(byCell).skip(range[0]).limit(range[1] - range[0]).sum() / 1e9;
    assertTrue(expected > 1 && expected < 8, "seconds: " + expected);
    String label =
        browser.eval("document.getElementById('canvas').getAttribute('aria-label')").getAsString();
    assertTrue(
        label.contains(String.format(Locale.ROOT, ": %.2f s of wall time,", expected)), label);
    assertNothingWrong();
  }

  @Test
  void tablesHaveSelfAndTotal() throws Exception {
    open(timedPage, "n=functions");
    for (String name : List.of("app.Tree.walk", "deflate [libzip.so]", "app.Main.work")) {
      List<String> row =
          rows().stream().filter(r -> r.get(2).endsWith(name)).findFirst().orElseThrow();
      assertEquals(percent(count(s -> innermost(s).equals(name)), TimedWork.SAMPLES), row.get(0));
      assertEquals(percent(count(s -> has(s, name)), TimedWork.SAMPLES), row.get(1), name);
    }
    tab("Libraries");
    List<String> zip =
        rows().stream().filter(r -> r.get(2).equals("libzip.so")).findFirst().orElseThrow();
    assertEquals(List.of("37.5 %", "50.0 %", "libzip.so"), zip);
  }

  @Test
  void callersAndCalleesOfAFunction() throws Exception {
    open(timedPage, "");
    double[] at = frame("app.Tree.walk");
    browser.click(at[0], at[1], SHIFT);
    assertTrue(hash().contains("v=function"), hash());
    assertEquals("Callers and callees of app.Tree.walk", browser.text("path"));
    // Below its row are its callers, above it what it calls; both have all of its samples.
    long walk = count(s -> has(s, "app.Tree.walk"));
    assertEquals(percent(walk, TimedWork.SAMPLES), shareOf("app.Main.work"));
    assertEquals(percent(walk, TimedWork.SAMPLES), shareOf("app.Tree.visit"));
    // Callers and callees of one stack both match: it counts once.
    browser.key("/", 0);
    browser.type("Main.work|Tree.visit");
    assertEquals("100 % matched", browser.text("matched"));
    browser.eval(
        "const box = document.getElementById('search'); box.value = ''; box.blur();"
            + " box.dispatchEvent(new Event('input'))");
    browser.key("s", 0);
    assertFalse(hash().contains("v="), hash());
  }

  @Test
  void javaCallersOfALibraryAreOneClickAway() throws Exception {
    open(timedPage, "n=libraries");
    int row = 1;
    for (List<String> cells : rows()) {
      if (cells.get(2).equals("libzip.so")) {
        break;
      }
      row++;
    }
    browser.click("#tableRows tr:nth-child(" + row + ")");
    assertEquals("Java callers that lead into libzip.so", browser.text("path"));
    // The JNI method is next to the root, then its caller: rows from the top.
    List<String> chain = new ArrayList<>();
    for (int level = 0; level < 4; level++) {
      chain.add(tipAt(400, level));
    }
    assertEquals(List.of("libzip.so", "app.Zip.compress0", "app.Zip.pack", "app.Main.work"), chain);
    // All samples of the library's calls, also those that are in the kernel.
    String work = browser.text("tip");
    assertTrue(work.contains("Samples1,00050.0 % of all100 % of callee"), work);
    browser.click("#tableRows tr:nth-child(" + row + ")");
    assertFalse(hash().contains("v="), hash());
  }

  @Test
  void framesAreFoldedHiddenAndMerged() throws Exception {
    open(timedPage, "n=functions");
    assertTrue(names().contains("Thread::run() [libjvm.so]"));
    browser.click("#foldJvm");
    assertFalse(names().contains("Thread::run() [libjvm.so]"), names()::toString);
    assertTrue(names().contains("[libjvm.so]"), names()::toString);
    browser.click("#foldKernel");
    assertTrue(names().contains("[kernel]") && !names().contains("do_syscall_64 [kernel]"));
    browser.click("#hideStart");
    assertFalse(names().contains("start_thread [libc.so.6]"), names()::toString);
    assertFalse(names().contains("call_stub"), names()::toString);
    assertEquals("all", tipAtBottom(0));
    assertEquals("app.Main.work", tipAtBottom(1));
    // walk calls itself, and again through visit: what it calls itself is one with it.
    browser.key("/", 0);
    browser.type("Tree.walk");
    assertEquals("1 of 3", browser.text("step"));
    browser.click("#mergeRecursion");
    assertEquals("1 of 2", browser.text("step"));
    assertEquals(List.of("100 %"), totals("app.Main.work"));
    assertEquals(List.of("45.0 %"), totals("app.Tree.visit"));
    assertEquals(TimedWork.SAMPLES, shown());
    assertTrue(hash().contains("f=jksr"), hash());
  }

  @Test
  void theTooltipSaysAllOfAFrame() throws Exception {
    open(timedPage, "");
    double[] at = frame("deflate [libzip.so]");
    browser.move(at[0], at[1]);
    String tip = browser.text("tip");
    for (String part :
        List.of(
            "deflate [libzip.so]",
            "Samples1,00050.0 % of all",
            "CPU time10.00 s",
            "Itself750",
            "Kindnative",
            "Library/opt/app/libzip.so",
            "Build id0123456789abcdef",
            "Unwind ruleseh_frame",
            "Found by")) {
      assertTrue(tip.contains(part), part + " in " + tip);
    }
    at = frame("app.Zip.pack");
    browser.move(at[0], at[1]);
    assertTrue(browser.text("tip").contains("Line17"), browser.text("tip"));
  }

  @Test
  void theKeyboardMovesBetweenFrames() throws Exception {
    open(timedPage, "");
    browser.eval("document.getElementById('scroll').focus()");
    browser.key("ArrowUp", 0);
    browser.key("ArrowUp", 0);
    assertTrue(browser.text("say").startsWith("start_thread [libc.so.6], 100 % of all"));
    browser.key("ArrowUp", 0);
    assertTrue(browser.text("say").startsWith("Thread::run()"), browser.text("say"));
    browser.key("ArrowDown", 0);
    assertTrue(browser.text("say").startsWith("start_thread"), browser.text("say"));
    browser.key("Enter", 0);
    assertTrue(browser.text("path").endsWith("start_thread"), browser.text("path"));
    browser.key("h", 0);
    assertTrue(rows().size() > 5);
    browser.key("d", 0);
    assertTrue(hash().contains("dark"), hash());
  }

  @Test
  void theAddressKeepsTheState() throws Exception {
    open(timedPage, "");
    browser.eval("document.getElementById('scroll').focus()");
    browser.key("h", 0);
    tab("Threads");
    browser.click("#tableRows tr:nth-child(2)");
    browser.click("#foldJvm");
    browser.click("#metric");
    double[] strip = strip();
    browser.drag(strip[0] + 0.2 * strip[2], strip[0] + 0.7 * strip[2], strip[1], 0);
    browser.drag(strip[0] + 0.8 * strip[2], strip[0] + 0.9 * strip[2], strip[1], SHIFT);
    browser.key("/", 0);
    browser.type("walk");
    double[] at = frame("app.Tree.walk");
    browser.click(at[0], at[1], 0);
    String hash = hash();
    for (String part : List.of("q=", "r=", "b=", "t=", "f=", "w=", "z=", "n=")) {
      assertTrue(hash.contains(part), part + " in " + hash);
    }
    String state = state();
    open(timedPage, hash);
    assertEquals(state, state());
    assertEquals(hash, hash());
  }

  @Test
  void anAddressThatSaysNonsenseIsIgnored() throws Exception {
    open(timedPage, "r=9-3&b=x&t=nobody&s=99&k=none&v=function.999999&z=-7&n=x&w=miles&q=%28");
    assertEquals(TimedWork.SAMPLES, shown());
    assertNothingWrong();
  }

  @Test
  void namesOfObjectsOwnPropertiesAreNoTables() throws Exception {
    open(timedPage, "n=constructor");
    assertEquals(TimedWork.SAMPLES, shown());
    assertNothingWrong();
  }

  @Test
  void theStartOfAThreadIsHiddenBelowItsName() throws Exception {
    open(page("timed", timed, true), "n=functions&f=s");
    assertFalse(names().contains("start_thread [libc.so.6]"), names()::toString);
    assertTrue(names().contains("[zip]"), names()::toString);
  }

  /** Two threads of one name; and a name that begins with the mark of a byte order. */
  @Test
  void threadsOfOneNameAreTwo() throws Exception {
    Path file = directory.resolve("twins.jfr");
    ManyStacks.record(
        file,
        store -> {
          long method = store.method(MethodDefinition.java("\ufeffa.B", "run", "()V", 1, ""));
          long node = store.node(EventStore.ROOT, method, 4, -1, 0);
          for (int i = 0; i < 2; i++) {
            long thread = store.thread(11 + i, "twin", 2 + i, false, 0, null);
            for (int j = 0; j <= i; j++) {
              ManyStacks.sample(store, thread, 0, 1_000_000, node, 0, 0);
            }
          }
        });
    open(page("twins", timed(file), false), "n=threads");
    assertEquals(List.of("twin (id 12)", "twin (id 11)"), names());
    browser.click("#tableRows tr:nth-child(1)");
    assertEquals(2, shown());
    String hash = hash();
    open(page("twins", timed(file), false), hash);
    assertEquals(2, shown());
    tab("Functions");
    assertEquals(List.of("\ufeffa.B.run"), names());
  }

  @Test
  void twoRecordingsAreCompared() throws Exception {
    SampledRecording before = TimedWork.record(directory.resolve("before.jfr"), 10);
    Path file = diff("after.jfr", timed, "before.jfr", before);
    open(file, "n=changes");
    assertTrue(browser.text("filters").contains("than in before.jfr"), browser.text("filters"));
    List<String> slow =
        rows().stream().filter(r -> r.get(3).contains("Main.slow")).findFirst().orElseThrow();
    assertEquals(List.of("+4.00 pp", "1.00 %", "5.00 %"), slow.subList(0, 3));
    // Newcombe's method 10 for 100 and 20 of 2,000, from the roots of Wilson's quadratic.
    assertTrue(slow.get(3).endsWith("(+2.97 pp to +5.10 pp)"), slow.get(3));
  }

  /** Of two recordings each note names its own, and colours say what has changed alone. */
  @Test
  void aComparisonHasNotesOfBothAndColoursOfChangesAlone() throws Exception {
    ManyStacks.one(directory);
    SampledRecording one = timed(directory.resolve("one.jfr"));
    open(diff("after.jfr", one, "before.jfr", one), "n=functions");
    String few = ": 1 sample only: shares are rough";
    assertEquals("after.jfr" + few + " \u2022 before.jfr" + few, browser.text("noteText"));

    open(diff("after.jfr", timed, "before.jfr", timed), "n=functions");
    assertEquals(0, visible("#legend i, #states i, #tables i"));
    assertEquals(3, visible("#filters i"));
    assertTrue(browser.eval("document.getElementById('colors').hidden").getAsBoolean());
    open(timedPage, "n=functions&r=200-300");
    int kinds = visible("#legend i");
    assertTrue(kinds > 3 && visible("#tables i") > 3);
    assertEquals(0, visible("#filters i"));
    browser.click("#rest");
    assertEquals(0, visible("#legend i, #states i, #tables i"));
    assertEquals(3, visible("#filters i"));
    String light = background("#filters i");
    browser.click("#theme");
    assertNotEquals(light, background("#filters i"));
    browser.click("#rest");
    assertEquals(kinds, visible("#legend i"));
    assertNothingWrong();
  }

  private static Path diff(
      String title, SampledRecording after, String beforeTitle, SampledRecording before)
      throws Exception {
    StringBuilder text = new StringBuilder();
    new FlameGraphExport(title, false).comparedWith(beforeTitle, before).writeText(after, text);
    return Files.writeString(Files.createTempFile(directory, "diff", ".html"), text);
  }

  private static int visible(String selector) throws Exception {
    return browser
        .eval(
            "[...document.querySelectorAll('"
                + selector
                + "')].filter(e => e.getClientRects().length).length")
        .getAsInt();
  }

  private static String background(String selector) throws Exception {
    return browser
        .eval("document.querySelector('" + selector + "').style.background")
        .getAsString();
  }

  @Test
  void hostileNamesStayText() throws Exception {
    ManyStacks.all(directory);
    SampledRecording profile = timed(directory.resolve("all.jfr"));
    Path page = page(ManyStacks.HOSTILE, profile, true);
    for (String hash :
        List.of("n=functions", "n=libraries", "n=threads", "v=inverted&z=2", "z=5&q=.")) {
      open(page, hash);
      assertFalse(browser.eval("!!document.querySelector('b[onclick]')").getAsBoolean());
      browser.move(600, 600);
      assertNothingWrong();
    }
    assertTrue(browser.text("title").contains("</script><b onclick"), browser.text("title"));
    // Nothing leaves the window, however long a name is.
    assertEquals(WIDTH, browser.eval("document.documentElement.scrollWidth").getAsInt());
  }

  @Test
  void oneSampleWithoutFramesIsShown() throws Exception {
    ManyStacks.one(directory);
    open(page("one", timed(directory.resolve("one.jfr")), false), "n=functions");
    assertEquals(1, shown());
    assertTrue(browser.text("noteText").contains("1 sample only: shares are rough"));
    browser.key("s", 0);
    assertNothingWrong();
  }

  @Test
  void allControlsHaveNamesAndFit() throws Exception {
    for (int width : List.of(700, 1024, 1600)) {
      browser.open(timedPage, "n=functions", width, 760);
      int header = browser.eval("document.querySelector('header').offsetHeight").getAsInt();
      assertTrue(header < 150, width + ": " + header + " px");
      assertEquals(width, browser.eval("document.body.scrollWidth").getAsInt());
    }
    // Where there is room nothing that says what a control is for is cut.
    // The facts do not fit into one line beside such a title.
    browser.open(page("long-name-".repeat(8), timed, false), "", 1600, 1000);
    assertEquals(
        "",
        browser
            .eval(
                """
                (() => {
                  const pen = document.createElement('canvas').getContext('2d'), cut = [];
                  const ARROW = 20, room = (e, text, more = 0) => {
                    const style = getComputedStyle(e);
                    pen.font = style.font;
                    const free = e.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
                    if (pen.measureText(text).width + more > free) cut.push(text);
                  };
                  room(document.getElementById('search'), document.getElementById('search').placeholder);
                  for (const option of document.getElementById('view').options) room(document.getElementById('view'), option.text, ARROW);
                  const facts = document.getElementById('facts');
                  if (facts.scrollWidth > facts.clientWidth + 1 || facts.scrollHeight > facts.clientHeight + 3) cut.push('facts');
                  return cut.join();
                })()
                """)
            .getAsString());
    JsonElement nameless =
        browser.eval(
            """
            [...document.querySelectorAll('button, input, select, canvas, aside, nav, [role]')]
              .filter(e => !(e.textContent.trim() || e.getAttribute('aria-label') || e.closest('label')))
              .filter(e => !e.hidden && !['say', 'tip', 'notes', 'tabs'].includes(e.id))
              .map(e => e.outerHTML).join()
            """);
    assertEquals("", nameless.getAsString());
  }

  @Test
  void itPrints() throws Exception {
    open(timedPage, "dark");
    assertTrue(browser.pdf().length > 10_000);
    assertNothingWrong();
  }

  /** The documentation's pictures; in a usual run only that they can be made. */
  @Test
  void pictures() throws Exception {
    String to = System.getProperty("flamegraph.pictures");
    String of = System.getProperty("flamegraph.recording");
    Path page =
        of == null ? timedPage : page(Path.of(of).getFileName() + "", timed(Path.of(of)), false);
    String hash = System.getProperty("flamegraph.hash", "");
    for (int[] size : new int[][] {{800, 600}, {1280, 800}, {1600, 1000}}) {
      for (String theme : List.of("light", "dark")) {
        browser.open(page, hash.isEmpty() ? theme : hash + "&" + theme, size[0], size[1]);
        byte[] png = browser.screenshot();
        assertTrue(png.length > 5_000, size[0] + theme);
        if (to != null) {
          Files.createDirectories(Path.of(to));
          Files.write(Path.of(to, "flamegraph-" + size[0] + "-" + theme + ".png"), png);
        }
      }
    }
  }

  // ---- the page

  private static void open(Path page, String hash) throws Exception {
    browser.open(page, hash, WIDTH, HEIGHT);
  }

  private static void assertNothingWrong() {
    assertEquals("", browser.problems());
  }

  private static String hash() throws Exception {
    return browser.eval("location.hash.slice(1)").getAsString();
  }

  private static int[] range(String key) throws Exception {
    String[] ends =
        browser
            .eval("new URLSearchParams(location.hash.slice(1)).get('" + key + "')")
            .getAsString()
            .split("-");
    return new int[] {Integer.parseInt(ends[0]), Integer.parseInt(ends[1])};
  }

  /** The samples that the graph is of, as a screen reader is told. */
  private static long shown() throws Exception {
    String label =
        browser.eval("document.getElementById('canvas').getAttribute('aria-label')").getAsString();
    return Long.parseLong(label.replaceAll(".*: ([0-9,]+) samples.*", "$1").replace(",", ""));
  }

  private static String state() throws Exception {
    return shown()
        + "\n"
        + browser.text("path")
        + "\n"
        + browser.text("matched")
        + "\n"
        + browser.text("rangeText")
        + "\n"
        + rows();
  }

  private static void tab(String name) throws Exception {
    browser.eval(
        "[...document.querySelectorAll('#tabs button')].find(b => b.textContent === '"
            + name
            + "').click()");
  }

  /** The texts of the table's cells. */
  private static List<List<String>> rows() throws Exception {
    List<List<String>> rows = new ArrayList<>();
    for (JsonElement row :
        browser
            .eval(
                """
                [...document.querySelectorAll('#tableRows tr')].map(r => [...r.cells].map(c => {
                  const copy = c.cloneNode(true);
                  for (const b of copy.querySelectorAll('button')) b.remove();
                  return copy.textContent;
                }))
                """)
            .getAsJsonArray()) {
      List<String> cells = new ArrayList<>();
      row.getAsJsonArray().forEach(cell -> cells.add(cell.getAsString()));
      rows.add(cells);
    }
    return rows;
  }

  private static List<String> totals(String name) throws Exception {
    return rows().stream().filter(r -> r.get(2).endsWith(name)).map(r -> r.get(1)).toList();
  }

  private static List<String> names() throws Exception {
    return rows().stream().map(row -> row.get(row.size() - 1)).toList();
  }

  /** Left end, height in the middle, and width. */
  private static double[] strip() throws Exception {
    double[] middle = browser.middle("#strip");
    double width = browser.eval("document.getElementById('strip').clientWidth").getAsDouble();
    return new double[] {middle[0] - width / 2, middle[1], width};
  }

  /** Where a frame is on the screen: the mouse looks for it, as its tooltip says its name. */
  private static double[] frame(String name) throws Exception {
    String found =
        browser
            .eval(
                """
                (async name => {
                  const canvas = document.getElementById('canvas'), tip = document.getElementById('tip');
                  const box = canvas.getBoundingClientRect();
                  for (let x = 20; x < box.right; x += 220) {
                    for (let y = box.bottom - 12, misses = 0; y > box.top && misses < 3; y -= 19) {
                      const where = {clientX: x, clientY: y, bubbles: true};
                      canvas.dispatchEvent(new MouseEvent('mousemove', where));
                      await new Promise(r => requestAnimationFrame(r));
                      if (!tip.hidden && tip.querySelector('b').textContent === name) return x + ',' + y;
                      misses = tip.hidden ? misses + 1 : 0;
                    }
                  }
                  return '';
                })('NAME')
                """
                    .replace("NAME", name))
            .getAsString();
    assertFalse(found.isEmpty(), "no frame " + name);
    String[] at = found.split(",");
    return new double[] {Double.parseDouble(at[0]), Double.parseDouble(at[1])};
  }

  /** The colour near a frame's right end, where no text is. */
  private static String colorOf(String name) throws Exception {
    double[] at = frame(name);
    browser.move(5, 5);
    browser.frame();
    return browser
        .eval(
            String.format(
                Locale.ROOT,
                """
                (() => {
                  const canvas = document.getElementById('canvas'), box = canvas.getBoundingClientRect();
                  const scale = canvas.width / box.width, g = canvas.getContext('2d');
                  return [...g.getImageData((%f - box.left) * scale, (%f - box.top - 8) * scale, 1, 1).data].join();
                })()
                """,
                at[0],
                at[1]))
        .getAsString();
  }

  private static String tipName() throws Exception {
    return browser
        .eval(
            "document.getElementById('tip').hidden ? '' :"
                + " document.querySelector('#tip b').textContent")
        .getAsString();
  }

  /** The share of all that the tooltip of a frame says. */
  private static String shareOf(String name) throws Exception {
    double[] at = frame(name);
    browser.move(at[0], at[1]);
    return browser
        .eval("document.querySelector('#tip tr').cells[2].textContent")
        .getAsString()
        .replace(" of all", "");
  }

  private static String tipAt(double x, int row) throws Exception {
    double top =
        browser.eval("document.getElementById('canvas').getBoundingClientRect().top").getAsDouble();
    browser.move(x, top + 3 + 19 * row + 9);
    return tipName();
  }

  private static String tipAtBottom(int row) throws Exception {
    double bottom =
        browser
            .eval("document.getElementById('canvas').getBoundingClientRect().bottom")
            .getAsDouble();
    browser.move(400, bottom - 3 - 19 * row - 9);
    return tipName();
  }

  // ---- the recording

  private static SampledRecording timed(Path file) throws Exception {
    return SampledRecording.openTimed(file, ReadingProgress.NONE);
  }

  private static Path page(String title, SampledRecording recording, boolean threads)
      throws Exception {
    StringBuilder text = new StringBuilder();
    new FlameGraphExport(title, threads).writeText(recording, text);
    Path file = Files.createTempFile(directory, "page", ".html");
    return Files.writeString(file, text);
  }

  private static void deep(Path file, int depth) throws Exception {
    ManyStacks.record(
        file,
        store -> {
          long thread = store.thread(1, "deep", 1, false, 0, null);
          long node = EventStore.ROOT;
          for (int i = 1; i <= depth; i++) {
            long method =
                store.method(MethodDefinition.java("app.Deep", "number_" + i, "()V", 1, ""));
            node = store.node(node, method, 4, -1, 0);
          }
          ManyStacks.sample(store, thread, 0, 1_000_000, node, 0, 0);
        });
  }

  /** Counts samples one after the other. */
  private static long count(Check check) throws Exception {
    long[] count = new long[1];
    List<Exception> failures = new ArrayList<>();
    timed.forEachSample(
        sample -> {
          try {
            count[0] += check.test(sample) ? 1 : 0;
          } catch (Exception e) {
            failures.add(e);
          }
        });
    assertEquals(List.of(), failures);
    return count[0];
  }

  private interface Check {
    boolean test(Sample sample) throws Exception;
  }

  private static boolean isIn(Sample sample, int[] cells) {
    long cell = (Texts.nanos(sample.time()) - Texts.nanos(timed.first())) / 20_000_000;
    return cell >= cells[0] && cell < cells[1];
  }

  private static boolean has(Sample sample, String name) {
    return sample.frames().stream().anyMatch(frame -> frame.text().equals(name));
  }

  private static String innermost(Sample sample) {
    return sample.frames().get(sample.frames().size() - 1).text();
  }

  private static double share(String name, int[] cells) throws Exception {
    return (double) count(s -> isIn(s, cells) && has(s, name)) / count(s -> isIn(s, cells));
  }

  private static String percent(long part, long all) {
    double percent = 100.0 * part / all;
    return String.format(
        Locale.ROOT,
        percent == 100 || percent == 0 ? "%.0f %%" : percent >= 10 ? "%.1f %%" : "%.2f %%",
        percent);
  }

  private static String points(double share) {
    String sign = share > 0 ? "+" : share < 0 ? "\u2212" : "";
    double size = Math.abs(share);
    return sign + String.format(Locale.ROOT, size >= 0.1 ? "%.1f pp" : "%.2f pp", 100 * size);
  }
}
