package stackweave.jfr.export.flamegraph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.openqa.selenium.Keys;
import stackweave.jfr.Programs;
import stackweave.jfr.export.ExportedStacks;
import stackweave.jfr.export.ManyStacks;
import stackweave.jfr.export.Texts;
import stackweave.jfr.export.TimedWork;
import stackweave.jfr.export.WaitingWork;
import stackweave.jfr.export.Workload;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.Sample;
import stackweave.jfr.read.SampledFrame;
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

  @TempDir private static Path directory;
  private static FlameBrowser browser;
  private static SampledRecording timed;
  private static Path timedPage;

  @BeforeAll
  static void start() throws Exception {
    browser = new FlameBrowser(directory);
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
    double[] at = browser.frame("app.Zip.pack");
    browser.click(at[0], at[1]);
    assertTrue(browser.text("path").endsWith("Zip.pack"), browser.text("path"));
    assertTrue(browser.hash().contains("z="), browser.hash());
    browser.type(Keys.BACK_SPACE);
    assertEquals("all", browser.text("path"));
    assertFalse(browser.hash().contains("z="), browser.hash());
  }

  @Test
  void theSearchSaysTheShareAndGoesThroughItsMatches() throws Exception {
    open(timedPage, "");
    browser.type("/", "tree\\.|^deflate");
    long matched = count(s -> has(s, "app.Tree.walk") || has(s, "deflate [libzip.so]"));
    assertEquals(
        FlameBrowser.percent(matched, TimedWork.SAMPLES) + " matched", browser.text("matched"));
    assertEquals("1 of 5", browser.text("step"));
    String first = browser.text("current");
    browser.type(Keys.ENTER);
    assertEquals("2 of 5", browser.text("step"));
    assertNotEquals(first, browser.text("current"));
    browser.press(Keys.ENTER, Keys.SHIFT);
    assertEquals(first, browser.text("current"));
    browser.press(Keys.ENTER, Keys.SHIFT);
    assertEquals("5 of 5", browser.text("step"));
    browser.type(Keys.ESCAPE);
    assertEquals("", browser.text("matched"));
  }

  /** The page's counts are those of the stacks that the collapsed format has. */
  @Test
  void aSearchFindsWhatTheCollapsedStacksHave() throws Exception {
    Path file = directory.resolve("many.jfr");
    Workload.recordLarge(file, 300);
    SampledRecording recording = SampledRecording.openTimed(file, ReadingProgress.NONE);
    StringBuilder collapsed = new StringBuilder();
    ExportedStacks.collapsed(false).writeText(recording, collapsed);
    String expression = "number_1[0-9]\\(|^com\\.example\\.p57";
    long all = 0;
    long matched = 0;
    Map<String, Long> frames = new HashMap<>(); // by the stack up to the frame
    for (String line : collapsed.toString().split("\n")) {
      long samples = Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
      boolean hasMatch = false;
      StringBuilder stack = new StringBuilder();
      for (String name : line.substring(0, line.lastIndexOf(' ')).split(";")) {
        stack.append(';').append(name);
        if (Pattern.compile(expression).matcher(name).find()) {
          hasMatch = true;
          frames.merge(stack.toString(), samples, Long::sum);
        }
      }
      all += samples;
      matched += hasMatch ? samples : 0;
    }
    assertTrue(frames.size() > 200 && matched < all, frames.size() + " frames");
    open(page("many", recording, false), "");
    browser.type("/", expression);
    assertEquals(FlameBrowser.percent(matched, all) + " matched", browser.text("matched"));
    String step = " of " + String.format(Locale.ROOT, "%,d", frames.size());
    assertEquals("1" + step, browser.text("step"));
    // From the widest on, and from the first to the last.
    List<Long> widths = frames.values().stream().sorted(Comparator.reverseOrder()).toList();
    assertCurrentHas(widths.get(0), all);
    browser.click("#after");
    assertEquals("2" + step, browser.text("step"));
    assertCurrentHas(widths.get(1), all);
    browser.type("n");
    browser.type("n");
    browser.type("p");
    assertEquals("3" + step, browser.text("step"));
    assertCurrentHas(widths.get(2), all);
    for (int i = 0; i < 3; i++) {
      browser.click("#before");
    }
    assertEquals(step.substring(4) + step, browser.text("step"));
    assertNothingWrong();
  }

  private static void assertCurrentHas(long samples, long all) {
    String current = browser.text("current");
    assertTrue(current.endsWith("  " + FlameBrowser.percent(samples, all)), current);
  }

  /** What is no expression matches nothing, and nothing is dimmed because of it. */
  @Test
  void anInvalidSearchMatchesNothingAndIsSaid() throws Exception {
    open(timedPage, "");
    String color = browser.colorOf("app.Zip.pack");
    browser.type("/", "[");
    assertEquals("not a valid regular expression", browser.text("matched"));
    String title = browser.eval("document.getElementById('matched').title").getAsString();
    assertTrue(title.contains("Invalid regular expression"), title);
    assertTrue(browser.eval("document.getElementById('steps').hidden").getAsBoolean());
    assertTrue(browser.eval("document.getElementById('search').matches('.bad')").getAsBoolean());
    assertEquals(color, browser.colorOf("app.Zip.pack"));
    browser.type("z]ip\\.pack");
    assertTrue(browser.text("matched").endsWith(" % matched"), browser.text("matched"));
    assertEquals("1 of 1", browser.text("step"));
    assertFalse(browser.eval("document.getElementById('search').matches('.bad')").getAsBoolean());
    browser.press("a", Keys.CONTROL);
    browser.type("(");
    browser.click("#reset");
    assertEquals("", browser.text("matched"));
    assertNothingWrong();
  }

  @Test
  void aMatchIsScrolledTo() throws Exception {
    Path file = directory.resolve("deep.jfr");
    deep(file, 10_000);
    browser.open(page("deep", timed(file), false), "", 700, 400);
    browser.type("/", "number_9000\\b");
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
    assertEquals(TimedWork.SAMPLES, browser.shown());
    double[] strip = browser.strip();
    browser.drag(strip[0] + 0.401 * strip[2], strip[0] + 0.599 * strip[2], strip[1]);
    int[] range = browser.range("r");
    assertTrue(Math.abs(range[0] - 200) <= 4 && Math.abs(range[1] - 300) <= 4, browser.hash());
    long expected = count(s -> isIn(s, range));
    assertEquals(expected, browser.shown());
    assertTrue(browser.text("rangeText").startsWith("Range 4.0"), browser.text("rangeText"));
    // The graph follows: slow is in that time only.
    browser.type("/", "app.Main.slow");
    long slow = count(s -> isIn(s, range) && has(s, "app.Main.slow"));
    assertEquals(FlameBrowser.percent(slow, expected) + " matched", browser.text("matched"));
    browser.click("#rangeAll");
    assertEquals(TimedWork.SAMPLES, browser.shown());
  }

  @Test
  void aSecondRangeGivesTheDifference() throws Exception {
    open(timedPage, "n=functions");
    double[] strip = browser.strip();
    browser.drag(strip[0] + 0.401 * strip[2], strip[0] + 0.599 * strip[2], strip[1]);
    browser.drag(strip[0] + 0.05 * strip[2], strip[0] + 0.30 * strip[2], strip[1], Keys.SHIFT);
    int[] range = browser.range("r");
    int[] base = browser.range("b");
    browser.tab("Changes");
    List<List<String>> rows = browser.rows();
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
    slow =
        browser.rows().stream()
            .filter(r -> r.get(3).contains("Main.slow"))
            .findFirst()
            .orElseThrow();
    assertEquals(points(then - now), slow.get(0));
    browser.click("#rangeAll");
    assertFalse(browser.hash().contains("b="), browser.hash());
  }

  @Test
  void theRestOfTheTimeIsABaseline() throws Exception {
    open(timedPage, "n=functions");
    double[] strip = browser.strip();
    browser.drag(strip[0] + 0.401 * strip[2], strip[0] + 0.599 * strip[2], strip[1]);
    int[] range = browser.range("r");
    browser.click("#rest");
    browser.tab("Changes");
    double now = share("app.Tree.walk", range);
    long rest = count(s -> !isIn(s, range));
    double then = (double) count(s -> !isIn(s, range) && has(s, "app.Tree.walk")) / rest;
    List<String> walk =
        browser.rows().stream()
            .filter(r -> r.get(3).contains("Tree.walk"))
            .findFirst()
            .orElseThrow();
    assertEquals(points(now - then), walk.get(0));
    String baseline = String.format(Locale.ROOT, "%,d in the baseline", rest);
    assertTrue(browser.text("tableNote").contains(baseline), browser.text("tableNote"));
  }

  @Test
  void theStripIsZoomed() throws Exception {
    open(timedPage, "");
    double[] strip = browser.strip();
    assertFalse(browser.find("#stripOut").isDisplayed());
    for (int i = 0; i < 6; i++) {
      browser.wheel(strip[0] + strip[2] / 2, strip[1], -100);
    }
    assertTrue(browser.find("#stripOut").isDisplayed());
    assertTrue(browser.text("stripScale").startsWith("a column is 20 ms"));
    browser.click("#stripOut");
    assertFalse(browser.find("#stripOut").isDisplayed());
    browser.run("document.getElementById('strip').focus()");
    for (int i = 0; i < 6; i++) {
      browser.type("+");
    }
    assertTrue(browser.text("stripScale").startsWith("a column is 20 ms"));
    browser.type(Keys.ARROW_RIGHT);
    int[] first = browser.range("r");
    browser.type(Keys.ARROW_RIGHT);
    assertEquals(first[0] + 1, browser.range("r")[0]);
    int[] range = browser.range("r");
    assertEquals(count(s -> isIn(s, range)), browser.shown());
  }

  @Test
  void threadsStatesAndKindsAreChosen() throws Exception {
    open(timedPage, "n=threads");
    List<List<String>> rows = browser.rows();
    assertEquals(List.of("50.0 %", "1,000", "zip"), rows.get(1));
    browser.click("#tableRows tr:nth-child(2)");
    assertEquals(count(s -> s.thread().text().equals("zip")), browser.shown());
    assertTrue(browser.text("filters").contains("Threads: zip"));
    assertEquals(2, browser.rows().size(), "the other stays in the table");
    browser.click("#filters button");
    assertEquals(TimedWork.SAMPLES, browser.shown());
    browser.click("#states button:nth-child(2)");
    assertEquals(count(s -> s.state().equals("waiting")), browser.shown());
    browser.click("#states button:nth-child(2)");
    browser.click("#legend button", "kernel");
    long kernel = count(s -> innermost(s).equals("ksys_write [kernel]"));
    assertEquals(kernel, browser.shown());
    assertEquals(250, kernel);
    // Nothing is left: it is said, and nothing breaks.
    browser.tab("Threads");
    browser.click("#states button:nth-child(2)");
    assertEquals(0, browser.shown());
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
            "park" + FlameBrowser.percent(WaitingWork.POOL_NANOS, all),
            "socket" + FlameBrowser.percent(WaitingWork.SOCKET_NANOS, all),
            "on CPU" + FlameBrowser.percent(WaitingWork.CPU_NANOS, all))) {
      assertTrue(states.contains(chip), chip + " in " + states);
    }
    assertEquals(
        FlameBrowser.percent(WaitingWork.POOL_NANOS, all),
        browser.shareOf("java.util.concurrent.locks.LockSupport.park"));
    String tip = browser.text("tip");
    assertTrue(tip.contains("Wall time20.00 s") && tip.contains("Mostlypark"), tip);
    assertFalse(tip.contains("Samples"), tip);
    String ofState = browser.colorOf("java.util.concurrent.locks.LockSupport.park");
    browser.click("#colors");
    assertEquals("Colours: kinds of code", browser.text("colors"));
    assertNotEquals(ofState, browser.colorOf("java.util.concurrent.locks.LockSupport.park"));
    assertTrue(browser.hash().contains("c=kind"), browser.hash());
    browser.click("#colors");
    assertEquals(ofState, browser.colorOf("java.util.concurrent.locks.LockSupport.park"));
    // Only one state: the whole is that.
    browser.click("#states button", "socket");
    assertTrue(browser.text("filters").contains("State: socket"));
    assertEquals("100 %", browser.shareOf("sun.nio.ch.NioSocketImpl.read"));
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
    double[] strip = browser.strip();
    browser.drag(strip[0] + 0.401 * strip[2], strip[0] + 0.749 * strip[2], strip[1]);
    int[] range = browser.range("r");
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
          browser.rows().stream().filter(r -> r.get(2).endsWith(name)).findFirst().orElseThrow();
      assertEquals(
          FlameBrowser.percent(count(s -> innermost(s).equals(name)), TimedWork.SAMPLES),
          row.get(0));
      assertEquals(
          FlameBrowser.percent(count(s -> has(s, name)), TimedWork.SAMPLES), row.get(1), name);
    }
    browser.tab("Libraries");
    List<String> zip =
        browser.rows().stream().filter(r -> r.get(2).equals("libzip.so")).findFirst().orElseThrow();
    assertEquals(List.of("37.5 %", "50.0 %", "libzip.so"), zip);
  }

  /** Numbers from the largest, names from A; the same column once more the other way round. */
  @Test
  void tablesAreSorted() throws Exception {
    open(timedPage, "n=functions");
    SortedMap<String, long[]> sums = new TreeMap<>();
    timed.forEachSample(
        sample -> {
          List<String> stack = sample.frames().stream().map(SampledFrame::text).toList();
          sums.computeIfAbsent(stack.get(stack.size() - 1), name -> new long[2])[0]++;
          Set.copyOf(stack).forEach(n -> sums.computeIfAbsent(n, name -> new long[2])[1]++);
        });
    // By name where nothing else decides, as the page does.
    Comparator<String> own = Comparator.comparingLong(name -> -sums.get(name)[0]);
    Comparator<String> total = Comparator.comparingLong(name -> -sums.get(name)[1]);
    List<String> names = List.copyOf(sums.keySet());
    assertEquals(names.stream().sorted(own.thenComparing(total)).toList(), browser.names());
    browser.click("#tableHead button", "Total");
    assertEquals(names.stream().sorted(total).toList(), browser.names());
    assertEquals("descending", sortOf("Total"));
    browser.click("#tableHead button", "Total");
    assertEquals(names.stream().sorted(total.reversed()).toList(), browser.names());
    assertEquals("ascending", sortOf("Total"));
    browser.click("#tableHead button", "Function");
    assertEquals(names, browser.names());
    browser.click("#tableHead button", "Function");
    assertEquals(names.stream().sorted(Comparator.reverseOrder()).toList(), browser.names());
    assertEquals("descending", sortOf("Function"));
    open(timedPage, browser.hash());
    assertEquals(names.stream().sorted(Comparator.reverseOrder()).toList(), browser.names());
    browser.tab("Threads");
    assertEquals(List.of("web", "zip"), browser.names()); // equal shares
    browser.click("#tableHead button", "Thread");
    browser.click("#tableHead button", "Thread");
    assertEquals(List.of("zip", "web"), browser.names());
    assertNothingWrong();
  }

  private static String sortOf(String column) {
    return browser
        .eval(
            "[...document.querySelectorAll('#tableHead th')].find(h => h.textContent === '"
                + column
                + "').ariaSort")
        .getAsString();
  }

  @Test
  void aClickInATableSearchesForAFunction() throws Exception {
    open(timedPage, "n=functions");
    browser.click("#tableRows tr", "37.5 %");
    assertEquals("^deflate \\[libzip\\.so\\]$", browser.find("#search").getDomProperty("value"));
    long matched = count(s -> has(s, "deflate [libzip.so]"));
    assertEquals(
        FlameBrowser.percent(matched, TimedWork.SAMPLES) + " matched", browser.text("matched"));
    assertEquals("1 of 1", browser.text("step"));
  }

  @Test
  void callersAndCalleesOfAFunction() throws Exception {
    open(timedPage, "");
    double[] at = browser.frame("app.Tree.walk");
    browser.click(at[0], at[1], Keys.SHIFT);
    assertTrue(browser.hash().contains("v=function"), browser.hash());
    assertEquals("Callers and callees of app.Tree.walk", browser.text("path"));
    // Below its row are its callers, above it what it calls; both have all of its samples.
    long walk = count(s -> has(s, "app.Tree.walk"));
    assertEquals(FlameBrowser.percent(walk, TimedWork.SAMPLES), browser.shareOf("app.Main.work"));
    assertEquals(FlameBrowser.percent(walk, TimedWork.SAMPLES), browser.shareOf("app.Tree.visit"));
    // Callers and callees of one stack both match: it counts once.
    browser.type("/", "Main.work|Tree.visit");
    assertEquals("100 % matched", browser.text("matched"));
    browser.press("a", Keys.CONTROL);
    browser.type(Keys.DELETE);
    browser.click("#path button"); // out of the box
    browser.type("s");
    assertFalse(browser.hash().contains("v="), browser.hash());
  }

  @Test
  void javaCallersOfALibraryAreOneClickAway() throws Exception {
    open(timedPage, "n=libraries");
    int row = 1;
    for (List<String> cells : browser.rows()) {
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
      chain.add(browser.tipAt(400, level));
    }
    assertEquals(List.of("libzip.so", "app.Zip.compress0", "app.Zip.pack", "app.Main.work"), chain);
    // All samples of the library's calls, also those that are in the kernel.
    String work = browser.text("tip");
    assertTrue(work.contains("Samples1,00050.0 % of all100 % of callee"), work);
    browser.click("#tableRows tr:nth-child(" + row + ")");
    assertFalse(browser.hash().contains("v="), browser.hash());
  }

  @Test
  void framesAreFoldedHiddenAndMerged() throws Exception {
    open(timedPage, "n=functions");
    assertTrue(browser.names().contains("Thread::run() [libjvm.so]"));
    browser.click("#foldJvm");
    assertFalse(browser.names().contains("Thread::run() [libjvm.so]"), browser.names()::toString);
    assertTrue(browser.names().contains("[libjvm.so]"), browser.names()::toString);
    browser.click("#foldKernel");
    assertTrue(
        browser.names().contains("[kernel]")
            && !browser.names().contains("do_syscall_64 [kernel]"));
    browser.click("#hideStart");
    assertFalse(browser.names().contains("start_thread [libc.so.6]"), browser.names()::toString);
    assertFalse(browser.names().contains("call_stub"), browser.names()::toString);
    assertEquals("all", browser.tipAtBottom(0));
    assertEquals("app.Main.work", browser.tipAtBottom(1));
    // walk calls itself, and again through visit: what it calls itself is one with it.
    browser.type("/", "Tree.walk");
    assertEquals("1 of 3", browser.text("step"));
    browser.click("#mergeRecursion");
    assertEquals("1 of 2", browser.text("step"));
    assertEquals(List.of("100 %"), browser.totals("app.Main.work"));
    assertEquals(List.of("45.0 %"), browser.totals("app.Tree.visit"));
    assertEquals(TimedWork.SAMPLES, browser.shown());
    assertTrue(browser.hash().contains("f=jksr"), browser.hash());
  }

  @Test
  void theTooltipSaysAllOfAFrame() throws Exception {
    open(timedPage, "");
    double[] at = browser.frame("deflate [libzip.so]");
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
    at = browser.frame("app.Zip.pack");
    browser.move(at[0], at[1]);
    assertTrue(browser.text("tip").contains("Line17"), browser.text("tip"));
  }

  @Test
  void theKeyboardMovesBetweenFrames() throws Exception {
    open(timedPage, "");
    browser.run("document.getElementById('scroll').focus()");
    browser.type(Keys.ARROW_UP);
    browser.type(Keys.ARROW_UP);
    assertTrue(told().startsWith("start_thread [libc.so.6], 100 % of all"), told());
    browser.type(Keys.ARROW_UP);
    assertTrue(told().startsWith("Thread::run()"), told());
    browser.type(Keys.ARROW_DOWN);
    assertTrue(told().startsWith("start_thread"), told());
    browser.type(Keys.ENTER);
    assertTrue(browser.text("path").endsWith("start_thread"), browser.text("path"));
    browser.type("h");
    assertTrue(browser.rows().size() > 5);
    browser.type("d");
    assertTrue(browser.hash().contains("dark"), browser.hash());
  }

  @Test
  void theAddressKeepsTheState() throws Exception {
    open(timedPage, "");
    browser.run("document.getElementById('scroll').focus()");
    browser.type("h");
    browser.tab("Threads");
    browser.click("#tableRows tr:nth-child(1)");
    browser.click("#tableHead button", "Thread");
    browser.click("#foldJvm");
    browser.click("#metric");
    double[] strip = browser.strip();
    browser.drag(strip[0] + 0.2 * strip[2], strip[0] + 0.7 * strip[2], strip[1]);
    browser.drag(strip[0] + 0.8 * strip[2], strip[0] + 0.9 * strip[2], strip[1], Keys.SHIFT);
    browser.type("/", "walk");
    double[] at = browser.frame("app.Tree.walk");
    browser.click(at[0], at[1]);
    String hash = browser.hash();
    for (String part : List.of("q=", "r=", "b=", "t=", "f=", "w=", "z=", "n=", "o=")) {
      assertTrue(hash.contains(part), part + " in " + hash);
    }
    String state = browser.state();
    open(timedPage, hash);
    assertEquals(state, browser.state());
    assertEquals(hash, browser.hash());
  }

  @Test
  void anAddressThatSaysNonsenseIsIgnored() throws Exception {
    open(timedPage, "r=9-3&b=x&t=nobody&s=99&k=none&v=function.999999&z=-7&n=x&w=miles&q=%28");
    assertEquals(TimedWork.SAMPLES, browser.shown());
    assertNothingWrong();
  }

  @Test
  void namesOfObjectsOwnPropertiesAreNoTables() throws Exception {
    open(timedPage, "n=constructor");
    assertEquals(TimedWork.SAMPLES, browser.shown());
    assertNothingWrong();
  }

  @Test
  void theStartOfAThreadIsHiddenBelowItsName() throws Exception {
    open(page("timed", timed, true), "n=functions&f=s");
    assertFalse(browser.names().contains("start_thread [libc.so.6]"), browser.names()::toString);
    assertTrue(browser.names().contains("[zip]"), browser.names()::toString);
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
    assertEquals(List.of("twin (id 12)", "twin (id 11)"), browser.names());
    browser.click("#tableRows tr:nth-child(1)");
    assertEquals(2, browser.shown());
    String hash = browser.hash();
    open(page("twins", timed(file), false), hash);
    assertEquals(2, browser.shown());
    browser.tab("Functions");
    assertEquals(List.of("\ufeffa.B.run"), browser.names());
  }

  @Test
  void twoRecordingsAreCompared() throws Exception {
    SampledRecording before = TimedWork.record(directory.resolve("before.jfr"), 10);
    Path file = diff("after.jfr", timed, "before.jfr", before);
    open(file, "n=changes");
    assertTrue(browser.text("filters").contains("than in before.jfr"), browser.text("filters"));
    List<String> slow =
        browser.rows().stream()
            .filter(r -> r.get(3).contains("Main.slow"))
            .findFirst()
            .orElseThrow();
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
    assertEquals(1, browser.shown());
    assertTrue(browser.text("noteText").contains("1 sample only: shares are rough"));
    browser.type("s");
    assertNothingWrong();
  }

  private static final String HINT_FITS =
      """
      (e => {
        const pen = document.createElement('canvas').getContext('2d'), style = getComputedStyle(e);
        pen.font = style.font;
        return pen.measureText(e.placeholder).width <= e.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      })(document.getElementById('search'))
      """;

  @Test
  void allControlsHaveNamesAndFit() throws Exception {
    Path compared = diff("after.jfr", timed, "before.jfr", timed);
    for (int width : List.of(700, 1024, 1200, 1600)) {
      browser.open(compared, "n=functions", width, 760);
      assertTrue(browser.eval(HINT_FITS).getAsBoolean(), "the search's hint is cut off");
      browser.open(timedPage, "n=functions", width, 760);
      assertTrue(browser.eval(HINT_FITS).getAsBoolean(), "the search's hint is cut off");
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

  private static void open(Path page, String hash) throws Exception {
    browser.open(page, hash, WIDTH, HEIGHT);
  }

  /** What a screen reader is told of the frame that the keyboard is at. */
  private static String told() {
    return browser.find("#frame [role]").getDomAttribute("aria-label");
  }

  private static void assertNothingWrong() {
    assertEquals("", browser.problems());
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

  private static String points(double share) {
    String sign = share > 0 ? "+" : share < 0 ? "\u2212" : "";
    double size = Math.abs(share);
    return sign + String.format(Locale.ROOT, size >= 0.1 ? "%.1f pp" : "%.2f pp", 100 * size);
  }
}
