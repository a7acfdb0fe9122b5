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
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.Jdks;
import stackweave.jfr.read.RecordingReader;
import stackweave.jfr.read.StackProfile;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.StoreLimits;

/**
 * The page says what the collapsed stacks say: its data is decoded here, and, where there is a
 * browser, the page itself is asked.
 */
class FlameGraphExportTest {
  private static final Path BROWSER = Path.of("/usr/bin/chromium");
  private static final String HOSTILE =
      "</script><script>document.title='owned'</script><!--\"'\\&amp;\u2028\ud800<img src=x>";

  @TempDir Path directory;

  @Test
  void thePageHoldsTheCollapsedStacks() throws Exception {
    StackProfile profile = workload();
    String page = page(profile, false);
    StringBuilder collapsed = new StringBuilder();
    CollapsedExport.write(profile, false, collapsed);
    assertEquals(collapsed.toString(), collapse(page));
  }

  @Test
  void threadsComeFirst() throws Exception {
    StackProfile profile = workload();
    StringBuilder collapsed = new StringBuilder();
    CollapsedExport.write(profile, true, collapsed);
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
    StackProfile profile = workload();
    assertEquals(page(profile, false), page(profile, false));
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
    String page = page(RecordingReader.profile(file), true, HOSTILE);
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
    StackProfile profile = workload();
    StringBuilder collapsed = new StringBuilder();
    CollapsedExport.write(profile, false, collapsed);
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

  @Test
  void whatIsNotThereIsSaidInColour() throws Exception {
    Path file = directory.resolve("short.jfr");
    Workload.recordShort(file);
    StackProfile profile = RecordingReader.profile(file);
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
        assertTrue(dom.contains("<div>" + warning + "</div>"), text(dom, "notes"));
      }
    }
  }

  /** Of a usual recording nothing is said that need not be. */
  @Test
  void whatIsThereIsNotSaid() throws Exception {
    StackProfile profile = workload();
    assertEquals(List.of(), profile.warnings());
    assertTrue(page(profile, false).contains("15.94 s used (97.23 %)\",\"\"]"));
  }

  @Test
  void aHundredThousandNodesOpen() throws Exception {
    Path file = directory.resolve("large.jfr");
    Workload.recordLarge(file, 3_000);
    StackProfile profile = RecordingReader.profile(file);
    String page = page(profile, false);
    int nodes = decode(page).size();
    assertTrue(nodes > 90_000, "nodes: " + nodes);
    assertTrue(page.length() < 16 * nodes, "bytes per node: " + page.length() / nodes);
    if (Files.isExecutable(BROWSER)) {
      String dom = browse(page, "q=operation_number_0");
      assertTrue(dom.contains("100 % matched"), text(dom, "matched"));
    }
  }

  private StackProfile workload() throws Exception {
    Path file = directory.resolve("workload.jfr");
    Workload.record(file);
    return RecordingReader.profile(file);
  }

  private static String page(StackProfile profile, boolean threads) throws IOException {
    return page(profile, threads, "workload.jfr");
  }

  private static String page(StackProfile profile, boolean threads, String title)
      throws IOException {
    StringBuilder page = new StringBuilder();
    FlameGraphExport.write(profile, title, threads, page);
    return page.toString();
  }

  private String browse(String page, String hash) throws Exception {
    Path file = directory.resolve("page.html");
    Files.writeString(file, page);
    Jdks.Outcome dom =
        Jdks.run(
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

  private record Node(Node parent, String name, long self) {}

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
