package stackweave.jfr.export.flamegraph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.openqa.selenium.Keys;
import stackweave.jfr.Programs;
import stackweave.jfr.export.TimedWork;
import stackweave.jfr.export.WaitingWork;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;

/**
 * The flame graph's page for those who have no mouse, a screen reader, a narrow window or a dark
 * one. Rules are those of axe-core, and what a screen reader gets is what Chromium tells it. With
 * {@code -Dflamegraph.pictures=DIR} pictures of what is tested are written, too.
 */
@ResourceLock(Programs.OWN_JFR)
class FlamePageAccessIT {
  private static final int WIDTH = 1200;
  private static final int HEIGHT = 800;
  private static final int NARROW = 320;

  @TempDir private static Path directory;
  private static FlameBrowser browser;
  private static String axe;
  private static Path timed;
  private static Path wall;
  private static Path diff;

  @BeforeAll
  static void start() throws Exception {
    browser = new FlameBrowser(directory);
    try (InputStream in = FlamePageAccessIT.class.getResourceAsStream("/axe.min.js")) {
      axe = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    SampledRecording after = TimedWork.record(directory.resolve("timed.jfr"), 50);
    SampledRecording before = TimedWork.record(directory.resolve("before.jfr"), 10);
    timed = page(new FlameGraphExport("timed.jfr", false), after);
    diff = page(new FlameGraphExport("timed.jfr", false).comparedWith("before.jfr", before), after);
    Path waiting = directory.resolve("wall.jfr");
    WaitingWork.record(waiting);
    wall =
        page(new FlameGraphExport("wall.jfr", true), WaitingWork.open(waiting, SampleChoice.WALL));
  }

  @AfterAll
  static void stop() {
    if (browser != null) {
      browser.close();
    }
  }

  // ---- rules

  @Test
  void axeFindsNothingSerious() throws Exception {
    for (String theme : List.of("light", "dark")) {
      for (int width : List.of(WIDTH, NARROW)) {
        assertNoViolations(timed, theme, width);
        assertNoViolations(timed, "n=functions&q=walk&z=3&" + theme, width);
        assertNoViolations(timed, "n=libraries&v=library.0&" + theme, width);
        assertNoViolations(timed, "n=threads&t=zip&r=200-300&b=rest&" + theme, width);
        assertNoViolations(timed, "q=%5B&r=200-300&b=20-80&n=changes&" + theme, width);
        assertNoViolations(diff, theme, width);
        assertNoViolations(diff, "n=changes&" + theme, width);
        assertNoViolations(wall, "n=threads&s=1&" + theme, width);
      }
    }
  }

  private static void assertNoViolations(Path page, String hash, int width) throws Exception {
    browser.open(page, hash, width, HEIGHT);
    picture(page, hash, width);
    browser.run(axe);
    List<String> found = new ArrayList<>();
    for (JsonElement each :
        browser
            .eval("axe.run({resultTypes: ['violations']})")
            .getAsJsonObject()
            .getAsJsonArray("violations")) {
      JsonObject violation = each.getAsJsonObject();
      String impact = violation.get("impact").getAsString();
      if (Set.of("serious", "critical").contains(impact)) {
        for (JsonElement node : violation.getAsJsonArray("nodes")) {
          JsonObject at = node.getAsJsonObject();
          found.add(
              impact + " " + violation.get("id") + at.get("target") + at.get("failureSummary"));
        }
      }
    }
    assertEquals(List.of(), found, page + "#" + hash + " at " + width);
  }

  // ---- what a screen reader is told

  @Test
  void aScreenReaderIsToldTheFrame() throws Exception {
    browser.open(timed, "", WIDTH, HEIGHT);
    tabTo("#scroll");
    assertEquals("all, 100 % of all, 2,000 samples, marker", told());
    browser.type(Keys.ARROW_UP, Keys.ARROW_UP);
    assertEquals("start_thread [libc.so.6], 100 % of all, 2,000 samples, native", told());
    double[] at = browser.frame("app.Zip.pack");
    browser.click(at[0], at[1]);
    assertEquals("app.Zip.pack, 50.0 % of all, 1,000 samples, C2", told());
    browser.type(Keys.ARROW_UP, Keys.ARROW_UP, Keys.ARROW_UP, Keys.ARROW_UP);
    assertEquals("do_syscall_64 [kernel], 12.5 % of all, 250 samples, kernel", told());
    browser.type(Keys.ENTER);
    assertTrue(browser.text("path").endsWith("do_syscall_64"), browser.text("path"));
    assertEquals("do_syscall_64 [kernel], 12.5 % of all, 250 samples, kernel", told());

    browser.open(wall, "", WIDTH, HEIGHT);
    tabTo("#scroll");
    long all = WaitingWork.WORK_NANOS + WaitingWork.IDLE_NANOS;
    String seconds = String.format(Locale.ROOT, "%.2f s", all / 1e9);
    assertEquals("all, 100 % of all, " + seconds + " of wall time, marker", told());
  }

  /** The name of the element that Chromium tells to be active within the one with the focus. */
  private static String told() {
    Map<String, JsonObject> nodes = new HashMap<>();
    String active = "";
    for (JsonElement each :
        browser.command("Accessibility.getFullAXTree", Map.of()).getAsJsonArray("nodes")) {
      JsonObject node = each.getAsJsonObject();
      if (node.has("backendDOMNodeId")) {
        nodes.put(node.get("backendDOMNodeId").getAsString(), node);
      }
      JsonObject descendant = property(node, "activedescendant");
      if (property(node, "focused") != null && descendant != null) {
        JsonElement first = descendant.getAsJsonArray("relatedNodes").get(0);
        active = first.getAsJsonObject().get("backendDOMNodeId").getAsString();
      }
    }
    assertTrue(nodes.containsKey(active), "nothing is active in what has the focus");
    return nodes.get(active).getAsJsonObject("name").get("value").getAsString();
  }

  private static JsonObject property(JsonObject node, String name) {
    if (node.has("properties")) {
      for (JsonElement each : node.getAsJsonArray("properties")) {
        JsonObject property = each.getAsJsonObject();
        if (property.get("name").getAsString().equals(name)) {
          return property.getAsJsonObject("value");
        }
      }
    }
    return null;
  }

  // ---- the keyboard alone

  @Test
  void theKeyboardAloneIsEnough() throws Exception {
    browser.open(timed, "", WIDTH, HEIGHT);
    // The search.
    tabTo("#search");
    browser.type("walk", Keys.ENTER);
    assertEquals("2 of 3", browser.text("step"));
    tabTo("#after");
    browser.type(Keys.SPACE);
    assertEquals("3 of 3", browser.text("step"));
    browser.type(Keys.ESCAPE);
    assertEquals("", browser.text("matched"));
    // The graph.
    tabTo("#scroll");
    browser.type(Keys.ARROW_UP, Keys.ARROW_UP, Keys.ENTER);
    assertTrue(browser.text("path").endsWith("start_thread"), browser.text("path"));
    browser.type(Keys.BACK_SPACE);
    assertEquals("all", browser.text("path"));
    // A control that is gone passes the focus on to the graph.
    browser.type(Keys.ARROW_UP, Keys.ARROW_UP, Keys.ENTER);
    tabTo("#back");
    browser.type(Keys.ENTER);
    assertEquals("all", browser.text("path"));
    assertEquals("scroll", browser.focused().getDomAttribute("id"));
    // A range of time, compared with the rest.
    tabTo("#strip");
    browser.type(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT);
    int[] range = browser.range("r");
    browser.press(Keys.ARROW_RIGHT, Keys.SHIFT);
    assertEquals(range[0], browser.range("r")[0]);
    assertTrue(browser.range("r")[1] > range[1], browser.hash());
    tabTo("#rest");
    browser.type(Keys.SPACE);
    assertTrue(browser.hash().contains("b=rest"), browser.hash());
    assertEquals("rest", browser.focused().getDomAttribute("id"));
    tabTo("#rangeAll");
    browser.type(Keys.ENTER);
    assertEquals(TimedWork.SAMPLES, browser.shown());
    assertEquals("scroll", browser.focused().getDomAttribute("id"));
    // Tables: what has the focus keeps it when they are made again.
    tabTo("#tablesButton");
    browser.type(Keys.ENTER);
    tabTo("#tabs button:nth-child(3)");
    browser.type(Keys.ENTER);
    assertEquals("Threads", browser.focused().getText());
    tabTo("#tableHead th:nth-child(3) button");
    browser.type(Keys.ENTER);
    assertEquals("Thread", browser.focused().getText());
    tabTo("#tableRows tr:nth-child(2)");
    browser.type(Keys.ENTER);
    assertEquals(TimedWork.SAMPLES / 2, browser.shown());
    assertTrue(browser.focused().getText().endsWith("zip"), browser.focused().getText());
    tabTo("#filters button");
    browser.type(Keys.ENTER);
    assertEquals(TimedWork.SAMPLES, browser.shown());
    tabTo("#legend button");
    browser.type(Keys.SPACE);
    assertEquals("true", browser.focused().getDomAttribute("aria-pressed"));
    browser.type(Keys.SPACE);
    // Letters are keys of the page, but choose in a list.
    tabTo("#view");
    browser.type("f");
    assertFalse(browser.hash().contains("flip"), browser.hash());
    assertEquals("", browser.problems());
  }

  /** Whatever gets the focus by Tab shows that, and all controls get it. */
  @Test
  void theFocusIsSeen() throws Exception {
    for (String theme : List.of("light", "dark")) {
      browser.open(timed, "n=functions&q=walk&r=200-300&b=50-90&z=4&" + theme, WIDTH, HEIGHT);
      Set<String> wanted = new TreeSet<>();
      browser
          .eval(
              """
              [...document.querySelectorAll('button, input, select, [tabindex="0"]')]
                .filter(e => !e.disabled && e.getClientRects().length)
                .map((e, i) => { e.dataset.test = i; return i + ' ' + (e.id || e.textContent); })
              """)
          .getAsJsonArray()
          .forEach(each -> wanted.add(each.getAsString()));
      assertTrue(wanted.size() > 60, wanted::toString);
      int stops = wanted.size();
      browser.run("document.activeElement.blur(); getSelection().removeAllRanges()");
      for (int i = 0; i < stops; i++) {
        browser.type(Keys.TAB);
        String at =
            browser
                .eval(
                    "(e => e.dataset.test + ' ' + (e.id || e.textContent))(document.activeElement)")
                .getAsString();
        assertTrue(wanted.remove(at), at + " is not next; left are " + wanted);
        double[] box = focusedBox();
        BufferedImage with = picture(box);
        browser.run("window.was = document.activeElement; was.blur()");
        browser.frame();
        int changed = differences(with, picture(box));
        browser.run("was.focus({preventScroll: true})");
        // A line around it of a pixel or more; where a part of it is cut off, most of that.
        assertTrue(
            changed >= with.getWidth() + with.getHeight(), theme + " " + at + ": " + changed);
      }
      assertEquals(Set.of(), wanted);
    }
  }

  /** Left, top, width and height of what has the focus, and a little around it, in the window. */
  private static double[] focusedBox() {
    List<Double> box = new ArrayList<>();
    browser
        .eval(
            """
            (b => {
              const left = Math.max(0, b.left - 3), top = Math.max(0, b.top - 3);
              return [left, top, Math.min(innerWidth, b.right + 3) - left, Math.min(innerHeight, b.bottom + 3) - top];
            })(document.activeElement.getBoundingClientRect())
            """)
        .getAsJsonArray()
        .forEach(each -> box.add(each.getAsDouble()));
    return box.stream().mapToDouble(each -> each).toArray();
  }

  private static BufferedImage picture(double[] box) throws Exception {
    Map<String, Object> clip =
        Map.of("x", box[0], "y", box[1], "width", box[2], "height", box[3], "scale", 1);
    String png =
        browser
            .command("Page.captureScreenshot", Map.of("format", "png", "clip", clip))
            .get("data")
            .getAsString();
    return ImageIO.read(new ByteArrayInputStream(Base64.getDecoder().decode(png)));
  }

  private static int differences(BufferedImage one, BufferedImage other) {
    int differences = 0;
    for (int x = 0; x < one.getWidth(); x++) {
      for (int y = 0; y < one.getHeight(); y++) {
        differences += one.getRGB(x, y) == other.getRGB(x, y) ? 0 : 1;
      }
    }
    return differences;
  }

  /** Presses Tab until an element has the focus. */
  private static void tabTo(String selector) {
    String isIt = "document.activeElement.matches('" + selector + "')";
    for (int i = 0; !browser.eval(isIt).getAsBoolean(); i++) {
      assertTrue(i < 120, "no " + selector + " by Tab");
      browser.type(Keys.TAB);
    }
  }

  // ---- dark

  @Test
  void darkIsAKeyOrTheSystemsWish() throws Exception {
    browser.prefers("prefers-color-scheme", "light");
    browser.open(timed, "", WIDTH, HEIGHT);
    int light = brightness();
    assertTrue(light > 200, "light: " + light);
    browser.type("d");
    int dark = brightness();
    assertTrue(dark < 60, "dark: " + dark);
    assertEquals("dark", browser.hash());
    browser.type("d");
    assertEquals(light, brightness());
    assertEquals("", browser.hash());
    // The system's wish, also when it changes, and a key against it.
    browser.prefers("prefers-color-scheme", "dark");
    browser.frame();
    assertEquals(dark, brightness());
    browser.open(timed, "", WIDTH, HEIGHT);
    assertEquals(dark, brightness());
    assertEquals("", browser.hash());
    browser.type("d");
    assertEquals(light, brightness());
    assertEquals("light", browser.hash());
    browser.open(timed, browser.hash(), WIDTH, HEIGHT);
    assertEquals(light, brightness());
    browser.prefers("prefers-color-scheme", "light");
  }

  /** The mean of the graph's empty corner and of the page above it, from 0 to 255. */
  private static int brightness() throws Exception {
    double[] graph = browser.box("#scroll");
    double[] page = browser.box("#bar");
    long sum = 0;
    for (double[] at :
        List.of(
            new double[] {graph[0] + graph[2] - 12, graph[1] + 8, 4, 4},
            new double[] {page[0] + page[2] - 4, page[1] - 4, 3, 3})) {
      int rgb = picture(at).getRGB(1, 1);
      sum += (rgb >> 16 & 255) + (rgb >> 8 & 255) + (rgb & 255);
    }
    return (int) (sum / 6);
  }

  // ---- a narrow window

  @Test
  void allOfItFitsIntoANarrowWindow() throws Exception {
    for (Path page : List.of(timed, diff, wall)) {
      for (String hash :
          List.of("", "n=functions&q=walk&z=4&r=200-300&b=50-90", "n=threads&s=1&v=inverted")) {
        browser.open(page, hash, NARROW, 640);
        picture(page, hash, NARROW);
        assertEquals("", browser.eval(misfits()).getAsString(), page.getFileName() + "#" + hash);
      }
    }
    // It can be used.
    browser.open(timed, "", NARROW, 640);
    browser.click("#tablesButton");
    browser.click("#tabs button", "Threads");
    browser.click("#tableRows tr:nth-child(1)");
    assertEquals(TimedWork.SAMPLES / 2, browser.shown());
    browser.run("document.getElementById('scroll').scrollIntoView({block: 'center'})");
    double[] at = browser.frame("app.Main.work");
    browser.click(at[0], at[1]);
    assertTrue(browser.text("path").endsWith("Main.work"), browser.text("path"));
    browser.run("scrollTo(0, 0)");
    double[] strip = browser.strip();
    browser.drag(strip[0] + 0.4 * strip[2], strip[0] + 0.6 * strip[2], strip[1]);
    assertNotEquals(0, browser.range("r")[0]);
    assertEquals("", browser.problems());
  }

  /**
   * What leaves the window, is cut off or covered, or overlaps, a line each. Left out is what is in
   * a box with a button "more" that shows all of it.
   */
  private static String misfits() {
    return """
    (() => {
      const bad = [], name = e => (e.id || e.tagName) + ' ' + e.textContent.trim().slice(0, 30);
      if (document.documentElement.scrollWidth > innerWidth) bad.push('the page is ' + document.documentElement.scrollWidth + ' px wide');
      const hasText = e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
      const seen = [...document.body.querySelectorAll('*')].filter(e =>
        (e.matches('button, input, select, canvas, [tabindex]') || hasText(e)) && !e.closest('script, noscript, option, #frame') && e.getClientRects().length);
      const canBeOpened = e => { const box = e.closest('#top, #notes'); return box && box.querySelector('.more:not([hidden])'); };
      // The parts, line by line, that its scrolled or cutting ancestors let through.
      const shown = e => {
        const parts = [...e.getClientRects()].map(b => ({left: b.left, right: b.right, top: b.top, bottom: b.bottom}));
        for (let p = e.parentElement; p && p !== document.body; p = p.parentElement) {
          if (getComputedStyle(p).overflow === 'visible') continue;
          const q = p.getBoundingClientRect();
          for (const r of parts) { r.left = Math.max(r.left, q.left); r.right = Math.min(r.right, q.right); r.top = Math.max(r.top, q.top); r.bottom = Math.min(r.bottom, q.bottom); }
        }
        return parts;
      };
      const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
      const parts = seen.map(shown);
      for (let i = 0; i < seen.length; i++) {
        for (let j = 0; j < i; j++) {
          if (seen[i].contains(seen[j]) || seen[j].contains(seen[i]) || canBeOpened(seen[i])) continue;
          if (parts[i].some(a => parts[j].some(b => overlap(a, b)))) bad.push(name(seen[j]) + ' overlaps ' + name(seen[i]));
        }
      }
      for (const e of seen) {
        if (canBeOpened(e)) continue;
        if (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX === 'hidden') bad.push(name(e) + ' is cut off');
        e.scrollIntoView({block: 'center', inline: 'nearest'});
        const [b] = e.getClientRects();
        if (b.left < -1 || b.right > innerWidth + 1) bad.push(name(e) + ' leaves the window');
        const top = document.elementFromPoint(b.left + b.width / 2, b.top + b.height / 2);
        if (!top || !(e.contains(top) || (e.matches('input') && top.contains(e)))) bad.push(name(e) + ' is covered by ' + (top ? name(top) : 'nothing'));
      }
      scrollTo(0, 0);
      return bad.join('\\n');
    })()
    """;
  }

  // ---- pages

  private static Path page(FlameGraphExport export, SampledRecording recording) throws Exception {
    StringBuilder text = new StringBuilder();
    export.writeText(recording, text);
    return Files.writeString(Files.createTempFile(directory, "page", ".html"), text);
  }

  private static void picture(Path page, String hash, int width) throws Exception {
    String to = System.getProperty("flamegraph.pictures");
    if (to != null) {
      String name = page.equals(timed) ? "timed" : page.equals(diff) ? "diff" : "wall";
      Files.createDirectories(Path.of(to));
      Files.write(
          Path.of(to, name + "-" + width + "-" + hash.replaceAll("[^a-z0-9]+", "-") + ".png"),
          browser.screenshot());
    }
  }
}
