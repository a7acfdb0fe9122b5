package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.Programs;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;

/**
 * The page says what the collapsed stacks say: its data is decoded here, and, where there is a
 * browser, the page itself is asked.
 */
@Tag("slow")
class FlameGraphExportTest {
  private static final Path BROWSER = Path.of("/usr/bin/chromium");
  private static final String HOSTILE =
      "</script><script>document.title='owned'</script><!--\"'\\&amp;\u2028\ud800<img src=x>";

  @TempDir Path directory;

  @Test
  void thePageHoldsTheCollapsedStacks() throws Exception {
    SampledRecording profile = workload();
    String page = page(profile, false);
    StringBuilder collapsed = new StringBuilder();
    new CollapsedExport(false).writeText(profile, collapsed);
    assertEquals(collapsed.toString(), collapse(page));
  }

  @Test
  void threadsComeFirst() throws Exception {
    SampledRecording profile = workload();
    StringBuilder collapsed = new StringBuilder();
    new CollapsedExport(true).writeText(profile, collapsed);
    assertEquals(collapsed.toString(), collapse(page(profile, true)));
  }

  @Test
  void thePageNeedsNothingElse() throws Exception {
    String page = page(workload(), false);
    assertTrue(page.contains("default-src 'none'"), "the policy that forbids the network");
    assertFalse(
        Pattern.compile("(src|href)\\s*=|https?://|@import|url\\(|@TITLE@|@DATA@")
            .matcher(page)
            .find(),
        "a reference to somewhere else");
  }

  @Test
  void theSameProfileGivesTheSamePage() throws Exception {
    SampledRecording profile = workload();
    assertEquals(page(profile, false), page(profile, false));
  }

  @Test
  void guessedFramesAreInTheTooltip() throws Exception {
    SessionInfo info = new SessionInfo("", "", "0=native", "0=complete", "0", "", "6=by jump", "6");
    Path file = directory.resolve("guesses.jfr");
    try (Recording recording = new Recording();
        EventStore store = EventStore.open(info, StoreLimits.DEFAULT)) {
      recording.start();
      long thread = store.thread(1, "main", 1, false, 0, null);
      long outer = store.method(MethodDefinition.symbol(0, "outer", 0));
      long inner = store.method(MethodDefinition.symbol(0, "inner", 0));
      long root = store.node(EventStore.ROOT, outer, 0, -1, 1);
      store.sample(System.nanoTime(), thread, 0, 1, store.node(root, inner, 0, -1, 2), 0, 0);
      store.sample(System.nanoTime(), thread, 0, 1, store.node(root, inner, 0, -1, 2, 6), 0, 0);
      store.flush();
      recording.dump(file);
    }
    SampledRecording profile = SampledRecording.open(file);
    String page = page(profile, false);
    assertTrue(page.contains("\"guesses\":[[2,\"by jump\",1]]"), page);
    List<String> facts =
        FlameGraphExport.facts(profile).stream().map(fact -> String.join(": ", fact)).toList();
    assertTrue(facts.contains("Complete with guessed frames: 50.00 %"), facts::toString);
  }

  @Test
  void hostileNamesStayText() throws Exception {
    Path file = directory.resolve("hostile.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      try (EventStore store = EventStore.open(Workload.SESSION, StoreLimits.DEFAULT)) {
        long thread = store.thread(1, HOSTILE, 1, false, 0, null);
        long method = store.method(MethodDefinition.java("p.T", HOSTILE, "()V", 1, ""));
        long node = store.node(EventStore.ROOT, method, 4, -1, 0);
        assertTrue(store.sample(System.nanoTime(), thread, 0, 1, node, 0, 0));
      }
      recording.dump(file);
    }
    String page = page(SampledRecording.open(file), true, HOSTILE);
    assertEquals(2, page.split("</script>", -1).length - 1, "script elements ended");
    assertFalse(page.contains("<img"), "markup out of a name");
    if (Files.isExecutable(BROWSER)) {
      String dom = browse(page, "z=2");
      assertFalse(dom.contains("<title>owned"), "a name was run");
      assertTrue(dom.contains("&lt;/script&gt;&lt;script&gt;document.title"), "the name as text");
    }
  }

  @Test
  void theBrowserFindsTheMatchedShare() throws Exception {
    assumeTrue(Files.isExecutable(BROWSER), "needs " + BROWSER);
    SampledRecording profile = workload();
    StringBuilder collapsed = new StringBuilder();
    new CollapsedExport(false).writeText(profile, collapsed);
    long matched = 0;
    long all = 0;
    for (String line : collapsed.toString().split("\n")) {
      long count = Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
      all += count;
      matched += line.contains("libjvm.so") && line.contains("snappy::") ? count : 0;
    }
    String dom = browse(page(profile, false), "q=snappy::");
    String share = String.format("%.1f %% matched", 100.0 * matched / all);
    assertTrue(dom.contains(">" + share + "<"), share + " in " + text(dom, "matched"));
    assertTrue(dom.contains("15.50 s of 15.94 s used (97.23 %)"), "CPU time covered");
  }

  /** Typing, Enter and Shift+Enter as a person does; the window is lower than the graph. */
  @Test
  void theSearchScrollsToItsMatchesInTurn() throws Exception {
    assumeTrue(Files.isExecutable(BROWSER), "needs " + BROWSER);
    String page = page(workload(), false);
    List<Node> nodes = decode(page);
    long[] totals = totals(nodes);
    List<Integer> matches = new ArrayList<>();
    for (int i = 1; i < nodes.size(); i++) {
      if (nodes.get(i).name().contains("call_helper") || nodes.get(i).name().startsWith("exp ")) {
        matches.add(i);
      }
    }
    matches.sort(Comparator.comparingLong((Integer i) -> -totals[i]).thenComparing(i -> i));
    int count = matches.size();
    assertTrue(count > 2, "matches: " + count);

    String script =
        """
        const $ = id => document.getElementById(id), scroller = $('scroll'), report = [];
        const say = what => report.push([what, $('step').textContent, $('current').dataset.node,
          scroller.scrollTop, scroller.clientHeight, $('space').offsetHeight].join(' | '));
        const enter = shift => $('search').dispatchEvent(
          new KeyboardEvent('keydown', {key: 'Enter', shiftKey: shift, bubbles: true}));
        $('search').focus();
        scroller.scrollTop = 0; say('start');
        $('search').value = 'call_helper|^exp '; $('search').dispatchEvent(new Event('input'));
        say('typed');
        for (let i = 1; i < COUNT; i++) { enter(false); say('enter'); }
        enter(false); say('around');
        enter(true); say('back');
        enter(true); say('back');
        """;
    List<String[]> steps = report(page, script.replace("COUNT", "" + count), "", "800,440");
    List<Integer> expected = new ArrayList<>(matches);
    expected.addAll(List.of(matches.get(0), matches.get(count - 1), matches.get(count - 2)));
    assertEquals("", steps.get(0)[1], "before the search");
    assertEquals(expected.size() + 1, steps.size());
    boolean scrolled = false;
    for (int i = 0; i < expected.size(); i++) {
      String[] step = steps.get(i + 1);
      int node = expected.get(i);
      assertEquals(matches.indexOf(node) + 1 + " of " + count, step[1], step[0] + i);
      assertEquals(node, Integer.parseInt(step[2]), step[0] + i);
      assertTrue(isSeen(nodes.get(node), step), step[0] + i + ": " + String.join(" | ", step));
      scrolled |= !isSeen(nodes.get(node), steps.get(0));
    }
    assertTrue(scrolled, "all was seen without scrolling");
  }

  /** Whether a frame's row is inside what is scrolled to. */
  private static boolean isSeen(Node node, String[] step) {
    int row = 19;
    double scroll = Double.parseDouble(step[3]);
    double top = Double.parseDouble(step[5]) - (node.level() + 1) * row - 3;
    return top >= scroll && top + row <= scroll + Double.parseDouble(step[4]);
  }

  @Test
  void theHeaderLeavesTheRoomToTheGraph() throws Exception {
    assumeTrue(Files.isExecutable(BROWSER), "needs " + BROWSER);
    String page = page(workload(), false);
    String script =
        """
        const report = [['height', document.querySelector('header').offsetHeight,
          innerWidth, document.body.scrollWidth].join(' | ')];
        """;
    for (String window : List.of("700,760", "1024,760", "1600,900")) {
      String[] sizes = report(page, script, "", window).get(0);
      assertTrue(Integer.parseInt(sizes[1]) < 130, window + ": " + sizes[1] + " px");
      assertTrue(Integer.parseInt(sizes[3]) <= Integer.parseInt(sizes[2]), "wider than " + window);
    }
  }

  @Test
  void whatTheWidthsAreIsSaid() throws Exception {
    assumeTrue(Files.isExecutable(BROWSER), "needs " + BROWSER);
    String script =
        """
        const metric = document.getElementById('metric'), report = [];
        const say = () => report.push([metric.textContent, metric.title].join(' | '));
        say(); metric.click(); say();
        """;
    List<String[]> said = report(page(workload(), false), script, "", "1024,700");
    assertEquals("Width: samples", said.get(0)[0]);
    assertTrue(said.get(0)[1].startsWith("Widths and percentages are the number of samples."));
    assertEquals("Width: CPU time", said.get(1)[0]);
    assertTrue(said.get(1)[1].startsWith("Widths and percentages are the CPU time that"));
  }

  /** The button that the documentation names. */
  @Test
  void hotFramesAreFoundByTheirName() throws Exception {
    assumeTrue(Files.isExecutable(BROWSER), "needs " + BROWSER);
    String script =
        """
        const button = [...document.querySelectorAll('button')].find(b => b.textContent === 'Hot frames');
        const box = button.getBoundingClientRect(), hot = document.getElementById('hot');
        const report = [];
        const say = () => report.push([box.width > 0 && box.right <= innerWidth, hot.hidden,
          hot.querySelectorAll('tbody tr').length].join(' | '));
        say(); button.click(); say();
        """;
    List<String[]> said = report(page(workload(), false), script, "", "700,600");
    assertEquals(List.of("true", "true", "0"), List.of(said.get(0)));
    assertEquals("false", said.get(1)[1]);
    assertTrue(Integer.parseInt(said.get(1)[2]) > 10, said.get(1)[2]);
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
    if (Files.isExecutable(BROWSER)) {
      String dom = browse(page, "");
      assertTrue(dom.contains("<b class=\"warn\">0.07 s of 2.21 s used"), text(dom, "facts"));
      for (String warning : warnings) {
        assertTrue(dom.contains("<span>" + warning + "</span>"), text(dom, "notes"));
      }
    }
  }

  /** Of a usual recording nothing is said that need not be. */
  @Test
  void whatIsThereIsNotSaid() throws Exception {
    SampledRecording profile = workload();
    assertEquals(List.of(), profile.warnings());
    assertTrue(page(profile, false).contains("15.94 s used (97.23 %)\",\"\"]"));
  }

  @Test
  void aHundredThousandNodesOpen() throws Exception {
    Path file = directory.resolve("large.jfr");
    Workload.recordLarge(file, 3_000);
    SampledRecording profile = SampledRecording.open(file);
    String page = page(profile, false);
    int nodes = decode(page).size();
    assertTrue(nodes > 90_000, "nodes: " + nodes);
    assertTrue(page.length() < 16 * nodes, "bytes per node: " + page.length() / nodes);
    if (Files.isExecutable(BROWSER)) {
      String dom = browse(page, "q=operation_number_0");
      assertTrue(dom.contains("100 % matched"), text(dom, "matched"));
    }
  }

  private SampledRecording workload() throws Exception {
    Path file = directory.resolve("workload.jfr");
    Workload.record(file);
    return SampledRecording.open(file);
  }

  private static String page(SampledRecording profile, boolean threads) throws IOException {
    return page(profile, threads, "workload.jfr");
  }

  private static String page(SampledRecording profile, boolean threads, String title)
      throws IOException {
    StringBuilder page = new StringBuilder();
    new FlameGraphExport(title, threads).writeText(profile, page);
    return page.toString();
  }

  /** Runs a script in the page that puts lines of fields, by {@code " | "}, into an array. */
  private List<String[]> report(String page, String script, String hash, String window)
      throws Exception {
    String element =
        "<pre id=\"report\"></pre><script>(() => {"
            + script
            + "document.getElementById('report').textContent = report.join('\\n') + '\\n'; })()</script>";
    String dom =
        browse(page.replace("</body>", element + "</body>"), hash, "--window-size=" + window);
    List<String[]> lines = new ArrayList<>();
    for (String line : text(dom, "report").strip().split("\n")) {
      lines.add(line.split(" \\| ?", -1));
    }
    assertTrue(lines.get(0).length > 1, dom.substring(Math.max(0, dom.length() - 2_000)));
    return lines;
  }

  private String browse(String page, String hash) throws Exception {
    return browse(page, hash, "--window-size=1024,700");
  }

  private String browse(String page, String hash, String window) throws Exception {
    Path file = directory.resolve("page.html");
    Files.writeString(file, page);
    Programs.Outcome dom =
        Programs.run(
            List.of(
                BROWSER.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--user-data-dir=" + Files.createTempDirectory(directory, "browser"),
                "--virtual-time-budget=5000",
                window,
                "--dump-dom",
                file.toUri() + "#" + hash));
    assertEquals(0, dom.exit(), dom.output());
    return dom.output();
  }

  private static String text(String dom, String id) {
    Matcher matcher = Pattern.compile("id=\"" + id + "\"[^>]*>([^<]*)<").matcher(dom);
    return matcher.find() ? matcher.group(1) : "no " + id;
  }

  // ---- a second reader of the page's data

  private record Node(Node parent, String name, long self) {
    int level() {
      return parent == null ? 0 : parent.level() + 1;
    }
  }

  private static long[] totals(List<Node> nodes) {
    IdentityHashMap<Node, Integer> numbers = new IdentityHashMap<>();
    long[] totals = new long[nodes.size()];
    for (int i = 0; i < totals.length; i++) {
      numbers.put(nodes.get(i), i);
      for (Node node = nodes.get(i); node != null; node = node.parent()) {
        totals[numbers.get(node)] += nodes.get(i).self();
      }
    }
    return totals;
  }

  private static String collapse(String page) {
    TreeMap<String, Long> lines = new TreeMap<>();
    for (Node node : decode(page)) {
      if (node.self() > 0) {
        StringBuilder line = new StringBuilder(node.name());
        for (Node n = node.parent(); n.parent() != null; n = n.parent()) {
          line.insert(0, n.name() + ";");
        }
        lines.merge(line.toString(), node.self(), Long::sum);
      }
    }
    StringBuilder text = new StringBuilder();
    lines.forEach((line, count) -> text.append(line).append(' ').append(count).append('\n'));
    return text.toString();
  }

  private static List<Node> decode(String page) {
    List<String> names = names(page);
    Matcher tree = Pattern.compile("\"tree\":\"([^\"]*)\"").matcher(page);
    assertTrue(tree.find());
    byte[] bytes = Base64.getDecoder().decode(tree.group(1));
    int[] at = new int[1];
    long count = number(bytes, at);
    List<Node> nodes = new ArrayList<>();
    Node before = null;
    for (long i = 0; i < count; i++) {
      Node parent = before;
      for (long up = number(bytes, at); up > 0; up--) {
        parent = parent.parent();
      }
      String name = names.get((int) number(bytes, at));
      if ((number(bytes, at) & 1) != 0) {
        for (long categories = number(bytes, at); categories > 0; categories--) {
          number(bytes, at);
          number(bytes, at);
        }
      }
      long self = number(bytes, at);
      if (self > 0) {
        number(bytes, at);
      }
      before = new Node(parent, name, self);
      nodes.add(before);
    }
    assertEquals(bytes.length, at[0], "all was read");
    return nodes;
  }

  private static List<String> names(String page) {
    int from = page.indexOf("\"names\":[") + 9;
    Matcher strings =
        Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"")
            .matcher(page.substring(from, page.indexOf("],\"tree\"", from)));
    List<String> names = new ArrayList<>();
    while (strings.find()) {
      String packed = unescape(strings.group(1));
      String last = names.isEmpty() ? "" : names.get(names.size() - 1);
      names.add(last.substring(0, packed.charAt(0) - ' ') + packed.substring(1));
    }
    return names;
  }

  private static String unescape(String json) {
    return Pattern.compile("\\\\(u[0-9a-f]{4}|.)")
        .matcher(json)
        .replaceAll(
            m ->
                Matcher.quoteReplacement(
                    m.group(1).length() == 1
                        ? m.group(1)
                        : Character.toString(
                            (char) Integer.parseInt(m.group(1).substring(1), 16))));
  }

  private static long number(byte[] bytes, int[] at) {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte b = bytes[at[0]++];
      value |= (long) (b & 127) << shift;
      if (b >= 0) {
        return value;
      }
    }
  }
}
