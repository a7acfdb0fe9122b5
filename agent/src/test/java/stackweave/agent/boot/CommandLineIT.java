package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.BurnsWhenTold;
import stackweave.agent.apps.Hello;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.FlamePageNames;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;

/** {@code java -jar stackweave-agent.jar …}, as a user types it. */
@Order(6)
class CommandLineIT {

  private static final Pattern COLLAPSED = Pattern.compile("[^;]+(;[^;]+)* [1-9]\\d*");

  @TempDir private static Path recordings;
  @TempDir private Path directory;

  static Stream<Jvm> jvms() {
    return Jvm.all();
  }

  /**
   * One line on stderr, exit code 2, nothing on stdout; what the line says. Many more are in {@code
   * FailuresTest}.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "paint rec.jfr                     | unknown command 'paint'; there are .*--help.*",
        "collapsed missing.jfr             | missing.jfr: no such file",
        "otlp a.jfr --endpoint https://a --headers /dev/zero | /dev/zero is too large .*",
        "flamegraph text.jfr -o ./text.jfr | ./text.jfr is the recording itself.*",
        "collapsed cut.jfr                 | cut.jfr: .*cut short.*",
      })
  void failsInOneLine(String arguments, String message) throws Exception {
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    Files.writeString(directory.resolve("text.jfr"), "no recording\n");
    if (arguments.contains("cut.jfr")) {
      provideWithoutSamples(jvm);
      byte[] whole = Files.readAllBytes(directory.resolve("without.jfr"));
      Files.write(directory.resolve("cut.jfr"), Arrays.copyOf(whole, whole.length / 2));
    }
    Ended result = commandLine(jvm, arguments.split(" "));
    assertFailed(message, result);
    assertEquals("no recording\n", Files.readString(directory.resolve("text.jfr")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "flamegraph | /nonexistent/x.html | can't write /nonexistent/x.html: no such directory",
        "collapsed  | .                   | can't write .: Is a directory",
        "collapsed  | /dev/full           | can't write /dev/full: No space left on device",
        "merge      | /dev/full           | can't write /dev/full: No space left on device",
        "flamegraph | /dev/full           | can't write /dev/full: No space left on device",
      })
  void unwritableOutputIsOneLine(String command, String output, String message) throws Exception {
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    recordWithAgent(jvm);
    Ended result = commandLine(jvm, command, "rec.jfr", "-o", output);
    // What the recording lacks is said in lines before.
    String last = result.err().replaceAll("(?m)^stackweave: rec\\.jfr: .*\n", "");
    assertFailed(Pattern.quote(message), result.saying(result.out(), last));
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void exportsARecording(Jvm jvm) throws Exception {
    recordWithAgent(jvm);

    Ended collapsed = commandLine(jvm, "collapsed", "rec.jfr");
    assertEquals(0, collapsed.exit(), collapsed.err());
    assertEquals(List.of(), collapsed.out().lines().filter(l -> !isCollapsed(l)).toList());
    assertTrue(collapsed.out().contains("BurnsCpu.burn"), collapsed.out());

    assertEquals(0, commandLine(jvm, "merge", "rec.jfr", "-o", "merged.jfr").exit());
    NavigableSet<Instant> sampled = times("rec.jfr", "stackweave.StackSample");
    Set<Instant> ofJfr = times("rec.jfr", "jdk.ExecutionSample");
    ofJfr.removeIf(time -> time.isBefore(sampled.first()) || time.isAfter(sampled.last()));
    assertFalse(ofJfr.isEmpty(), "JFR took no samples meanwhile");
    ofJfr.retainAll(times("merged.jfr", "jdk.ExecutionSample"));
    assertEquals(Set.of(), ofJfr, "ours stand for these");

    Ended file = commandLine(jvm, "collapsed", "rec.jfr", "-o", "c.txt");
    assertEquals(0, file.exit(), file.err());
    assertEquals("", file.out());
    assertEquals(collapsed.out(), Files.readString(directory.resolve("c.txt")));

    for (String export : List.of("collapsed", "pprof", "firefox")) {
      assertEquals("", endsWithItsReader(jvm, export), export);
    }

    Ended threads = commandLine(jvm, "collapsed", "--threads", "rec.jfr");
    assertEquals(List.of(), threads.out().lines().filter(l -> l.charAt(0) != '[').toList());
    assertTrue(threads.out().contains("[main];"), threads.out());
    assertEquals(count(collapsed.out()), count(threads.out()));

    Ended page = commandLine(jvm, "flamegraph", "rec.jfr");
    assertEquals(0, page.exit(), page.err());
    assertEquals("rec.html\n", page.out());
    String html = Files.readString(directory.resolve("rec.html"));
    assertTrue(html.contains("rec.jfr"));
    assertTrue(FlamePageNames.of(html).stream().anyMatch(name -> name.endsWith("BurnsCpu.burn")));
    Ended both = commandLine(jvm, "flamegraph", "--diff", "rec.jfr", "rec.jfr");
    assertEquals("rec-diff.html\n", both.out(), both.err());
    Ended twice = commandLine(jvm, "flamegraph", "rec.jfr", "rec.jfr");
    assertEquals(2, twice.exit(), twice.err());
    assertTrue(
        twice.err().matches("stackweave: .* in common, .* merge rec.jfr -o merged.jfr\n"),
        twice.err());

    Ended report = commandLine(jvm, "report", "rec.jfr");
    assertEquals(0, report.exit(), report.err());
    assertTrue(report.out().contains("WHERE THE CPU TIME WENT"), report.out());
    Ended same =
        commandLine(jvm, "report", "--diff", "rec.jfr", "rec.jfr", "--fail-if", "Java +1pp");
    assertEquals(0, same.exit(), same.err());
    assertTrue(same.out().contains("Java +1pp: not exceeded"), same.out());
    Ended unknown =
        commandLine(jvm, "report", "--diff", "rec.jfr", "rec.jfr", "--fail-if", "no.so +1pp");
    assertEquals(2, unknown.exit(), unknown.err());
    recordWithoutJava(directory.resolve("before.jfr"));
    Ended more =
        commandLine(jvm, "report", "--diff", "before.jfr", "rec.jfr", "--fail-if", "Java +1pp");
    assertEquals(1, more.exit(), more.err());
    assertTrue(more.err().endsWith("stackweave: exceeded: Java +1pp\n"), more.err());
    byte[] whole = Files.readAllBytes(directory.resolve("rec.jfr"));
    byte[] twoAndAHalf = Arrays.copyOf(whole, 2 * whole.length + whole.length / 2);
    System.arraycopy(whole, 0, twoAndAHalf, whole.length, whole.length);
    System.arraycopy(whole, 0, twoAndAHalf, 2 * whole.length, whole.length / 2);
    Files.write(directory.resolve("cut.jfr"), twoAndAHalf);
    Ended cut =
        commandLine(jvm, "report", "--diff", "rec.jfr", "cut.jfr", "--fail-if", "Java +1pp");
    assertEquals(2, cut.exit(), cut.err());
    assertTrue(cut.err().contains("cut.jfr: the recording was cut short"), cut.err());
    assertTrue(cut.err().contains("--fail-if needs whole recordings"), cut.err());
    Ended seen = commandLine(jvm, "report", "--diff", "rec.jfr", "cut.jfr");
    assertEquals(0, seen.exit(), seen.err());
    assertTrue(seen.err().contains("cut.jfr: the recording was cut short"), seen.err());
    assertTrue(seen.out().contains("After: the recording was cut short"), seen.out());
  }

  private NavigableSet<Instant> times(String recording, String type) throws IOException {
    return RecordingFile.readAllEvents(directory.resolve(recording)).stream()
        .filter(event -> event.getEventType().getName().equals(type))
        .map(RecordedEvent::getStartTime)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** What a command says whose reader has enough before the first byte, as head may. */
  private String endsWithItsReader(Jvm jvm, String export) throws Exception {
    List<String> words =
        ForkedJvm.agentCommand(jvm.jdk(), export, directory.resolve("rec.jfr"), "-o", "-");
    Process shell = new ProcessBuilder("sh", "-c", String.join(" ", words) + " | true").start();
    String said = new String(shell.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    shell.waitFor();
    return said;
  }

  private static void recordWithoutJava(Path file) throws IOException {
    SessionInfo info = new SessionInfo("", "", "0=native", "0=complete", "0", "0=on CPU");
    try (Recording recording = new Recording();
        EventStore store = EventStore.open(info, StoreLimits.DEFAULT)) {
      recording.start();
      long thread = store.thread(1, "main", 1, false, 0, null);
      long method = store.method(MethodDefinition.symbol(0, "main", 0));
      long node = store.node(EventStore.ROOT, method, 0, -1, 1);
      for (int i = 0; i < 500; i++) {
        store.sample(System.nanoTime(), thread, 0, 10_000_000, node, 0, 0);
      }
      store.flush();
      recording.dump(file);
    }
  }

  /** All commands read CPU time, and with --wall or --state waiting, too. */
  @Test
  void waitingIsReadWhereItIsAskedFor() throws Exception {
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    recordWaiting(directory.resolve("rec.jfr"));
    assertEquals("main 500\n", commandLine(jvm, "collapsed", "rec.jfr").successfully().out());
    assertEquals(
        "main 5000000000\nmain;read 7000000000\n",
        commandLine(jvm, "collapsed", "rec.jfr", "--wall").successfully().out());
    assertEquals(
        "main;read 7000000000\n",
        commandLine(jvm, "collapsed", "rec.jfr", "--state=socket,sleep").successfully().out());
    assertEquals(
        "main 5000000000\n",
        commandLine(jvm, "collapsed", "rec.jfr", "--total", "-s", "running").successfully().out());
    String top = commandLine(jvm, "top", "rec.jfr", "--wall").successfully().out();
    assertTrue(top.contains("Shares of the 12.00 s of wall time"), top);
    assertTrue(top.contains(" 58.3 %  7.00 s  socket\n"), top);
    assertFailed(
        "--samples is of CPU time: .*", commandLine(jvm, "top", "x", "--wall", "--samples"));
    String report = commandLine(jvm, "report", "rec.jfr").successfully().out();
    assertTrue(report.contains("stand for 5.00 s of CPU time"), report);
    assertTrue(report.contains("12.00 s of wall time of 1 thread within"), report);
    String waiting = commandLine(jvm, "report", "rec.jfr", "--wall").successfully().out();
    assertFalse(waiting.contains("CPU TIME WENT"), waiting);
    assertTrue(waiting.contains("58.3 % was waiting: 58.3 % socket"), waiting);
    for (String command : List.of("flamegraph", "pprof", "otlp", "speedscope", "firefox")) {
      commandLine(jvm, command, "rec.jfr", "-o", command, "--wall").successfully();
    }
    commandLine(jvm, "flamegraph", "--diff", "rec.jfr", "rec.jfr", "--wall").successfully();
    recordWithoutJava(directory.resolve("cpu.jfr"));
    for (String command : List.of("top", "libraries")) {
      assertFailed(
          "cpu.jfr: holds no samples of waiting threads, since none were asked for: .*",
          commandLine(jvm, command, "cpu.jfr", "--wall"));
    }
    assertFailed(
        "rec.jfr: none of its samples is selected: the threads' states are on CPU, socket",
        commandLine(jvm, "top", "rec.jfr", "--state=monitor"));
  }

  private static void recordWaiting(Path file) throws IOException {
    SessionInfo info = new SessionInfo("", "", "0=native", "0=complete", "0", ThreadState.legend());
    try (Recording recording = new Recording();
        EventStore store = EventStore.open(info, StoreLimits.DEFAULT)) {
      recording.enable(WallSample.NAME);
      recording.start();
      long thread = store.thread(1, "main", 1, false, 0, null);
      long main = store.method(MethodDefinition.symbol(0, "main", 0));
      long read = store.method(MethodDefinition.symbol(0, "read", 0));
      long node = store.node(EventStore.ROOT, main, 0, -1, 1);
      long wait = store.node(node, read, 0, -1, 1);
      for (int i = 0; i < 500; i++) {
        store.sample(System.nanoTime(), thread, 0, 10_000_000, node, 0, 0);
      }
      int socket = ThreadState.SOCKET.code();
      for (int i = 0; i < 70; i++) {
        store.wallSample(System.nanoTime(), thread, socket, 100_000_000, wait, 0, 0);
      }
      store.flush();
      recording.dump(file);
    }
  }

  /** What is in the files is the matter of the exports' own tests. */
  @ParameterizedTest
  @CsvSource({
    "pprof, rec.pb.gz",
    "otlp, rec.otlp",
    "speedscope, rec.speedscope.json",
    "firefox, rec.firefox.json"
  })
  void exportsForOtherPrograms(String command, String file) throws Exception {
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    recordWithAgent(jvm);
    Ended beside = commandLine(jvm, command, "rec.jfr").successfully();
    assertEquals(file + "\n", beside.out());
    long all = Files.size(directory.resolve(file));
    Ended named =
        commandLine(jvm, command, "rec.jfr", "-o", "x", "-I", ".*BurnsCpu.*").successfully();
    assertEquals("x\n", named.out());
    long selected = Files.size(directory.resolve("x"));
    assertTrue(selected > 100 && selected < all, selected + " of " + all);
    Ended none = commandLine(jvm, command, "rec.jfr", "-o", "y", "--from", "1h");
    assertEquals(2, none.exit());
    assertTrue(none.err().contains("rec.jfr: none of the "), none.err());
    assertTrue(Files.notExists(directory.resolve("y")));
  }

  @Test
  void sendsToACollector() throws Exception {
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    recordWithAgent(jvm);
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    byte[][] body = new byte[1][];
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          seen.add(exchange.getRequestURI() + " " + exchange.getRequestHeaders().get("X-key"));
          body[0] = new GZIPInputStream(exchange.getRequestBody()).readAllBytes();
          exchange.sendResponseHeaders(seen.size() == 1 ? 200 : 403, -1);
          exchange.close();
        });
    server.start();
    try {
      String url = "http://localhost:" + server.getAddress().getPort();
      Files.writeString(directory.resolve("headers"), "x-key: hidden\n");
      Ended sent =
          commandLine(
                  jvm, "otlp", "rec.jfr", "--endpoint", url, "--headers", "headers", "-o", "file")
              .successfully();
      assertEquals("file\n", sent.out());
      Ended over =
          commandLine(
              jvm, "otlp", "rec.jfr", "--endpoint", url, "--headers", "headers", "-o", "./headers");
      assertFailed("./headers is the file of headers itself: .*", over);
      assertEquals("x-key: hidden\n", Files.readString(directory.resolve("headers")));
      assertTrue(sent.err().contains("sent to " + url + "/v1development/profiles"), sent.err());
      assertEquals(List.of("/v1development/profiles [hidden]"), seen);
      assertArrayEquals(Files.readAllBytes(directory.resolve("file")), body[0]);

      Ended refused = commandLine(jvm, "otlp", "rec.jfr", "--endpoint", url + "/other");
      assertEquals(2, refused.exit());
      assertEquals("", refused.out());
      assertTrue(refused.err().contains(url + "/other refused the profile: HTTP 403"));
      assertEquals("/other null", seen.get(1));
    } finally {
      server.stop(0);
    }
  }

  /** Each function's figures, counted a second time in the text of the collapsed stacks. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void topSaysWhatTheCollapsedStacksSay(Jvm jvm) throws Exception {
    recordWithAgent(jvm);
    Map<String, Long> self = new TreeMap<>();
    Map<String, Long> total = new TreeMap<>();
    Map<String, Long> librarySelf = new TreeMap<>();
    Map<String, Long> libraryTotal = new TreeMap<>();
    String collapsed = commandLine(jvm, "collapsed", "rec.jfr").out();
    long all = count(collapsed);
    for (String line : collapsed.split("\n")) {
      long samples = count(line);
      List<String> frames =
          new ArrayList<>(List.of(line.substring(0, line.lastIndexOf(' ')).split(";")));
      if (frames.size() > 1) {
        frames.removeIf(frame -> frame.matches("\\[(truncated|stopped: .*)\\]"));
      }
      List<String> libraries = frames.stream().map(CommandLineIT::library).toList();
      self.merge(frames.get(frames.size() - 1), samples, Long::sum);
      librarySelf.merge(libraries.get(libraries.size() - 1), samples, Long::sum);
      new TreeSet<>(frames).forEach(frame -> total.merge(frame, samples, Long::sum));
      new TreeSet<>(libraries).forEach(library -> libraryTotal.merge(library, samples, Long::sum));
    }

    Ended top = commandLine(jvm, "top", "rec.jfr", "--samples", "--wide", "-n", "99999");
    assertEquals(0, top.exit(), top.err());
    Set<String> expected = new TreeSet<>();
    total.forEach((name, samples) -> expected.add(row(self.get(name), samples, all, name)));
    assertEquals(expected, rows(top.out(), "FUNCTION"));
    Set<String> libraries = new TreeSet<>();
    libraryTotal.forEach(
        (name, samples) -> libraries.add(row(librarySelf.get(name), samples, all, name)));
    assertEquals(libraries, rows(top.out(), "LIBRARY"));
    assertTrue(libraryTotal.containsKey("Java") && libraryTotal.containsKey("JVM (libjvm.so)"));
  }

  /** Each library's shares of the CPU time, counted a second time in the same way. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void librariesHaveTheSharesOfTheCollapsedStacks(Jvm jvm) throws Exception {
    recordWithAgent(jvm);
    Map<String, Long> self = new TreeMap<>();
    Map<String, Long> total = new TreeMap<>();
    String collapsed = commandLine(jvm, "collapsed", "--total", "rec.jfr").out();
    for (String line : collapsed.split("\n")) {
      List<String> libraries =
          Arrays.stream(line.substring(0, line.lastIndexOf(' ')).split(";"))
              .map(CommandLineIT::library)
              .toList();
      self.merge(libraries.get(libraries.size() - 1), count(line), Long::sum);
      new TreeSet<>(libraries).forEach(library -> total.merge(library, count(line), Long::sum));
    }
    double all = count(collapsed);
    Ended table = commandLine(jvm, "libraries", "rec.jfr").successfully();
    int libraries = 0;
    for (String name : total.keySet()) {
      if (name.contains(".so") || name.equals("java")) {
        String file = name.startsWith("JVM") ? "libjvm.so" : name;
        String row =
            String.format(
                Locale.ROOT,
                "%.1f %% %.1f %%",
                100 * self.getOrDefault(name, 0L) / all,
                100 * total.get(name) / all);
        assertTrue(table.out().lines().anyMatch(line -> isRow(line, row, file)), row + table.out());
        assertTrue(table.out().contains("\n\n" + file + "\nFile: /"), table.out());
        libraries++;
      }
    }
    assertTrue(libraries > 2, total::toString);
    assertEquals(List.of(), table.out().lines().filter(line -> line.length() > 80).toList());
    String html = commandLine(jvm, "libraries", "rec.jfr", "--html").successfully().out();
    assertTrue(html.contains("<td dir=\"auto\">libjvm.so</td>"), html);
  }

  private static boolean isRow(String line, String shares, String name) {
    return line.endsWith("  " + name) && line.strip().replaceAll(" +", " ").startsWith(shares);
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void topFitsATerminal(Jvm jvm) throws Exception {
    recordWithAgent(jvm);
    Ended top = commandLine(jvm, "top", "rec.jfr");
    assertEquals(0, top.exit(), top.err());
    assertEquals(List.of(), top.err().lines().filter(line -> !isOfLoad(line)).toList());
    assertEquals(List.of(), top.out().lines().filter(line -> line.length() > 80).toList());
    assertTrue(top.out().contains("of CPU time that the samples stand for"), top.out());
    // Compressing noise is zlib's work, and main's.
    assertTrue(rows(top.out(), "LIBRARY").iterator().next().contains("libz"), top.out());
    assertTrue(rows(top.out(), "THREAD").iterator().next().endsWith("  main"), top.out());
    Ended byTotal = commandLine(jvm, "top", "rec.jfr", "--by", "total", "-n", "9");
    assertEquals(9, rows(byTotal.out(), "FUNCTION").size(), byTotal.out());
    assertTrue(rows(byTotal.out(), "FUNCTION").iterator().next().contains(" [lib"), byTotal.out());
  }

  /** What is said of a recording for the machine alone: it was slow, or busy with others. */
  private static boolean isOfLoad(String line) {
    return line.matches(".*: (sampling began |\\d+ samples only|drain thread ).*");
  }

  /** The rows below a heading, in their order. */
  private static Set<String> rows(String top, String heading) {
    Set<String> rows = new LinkedHashSet<>();
    boolean within = false;
    for (String line : top.split("\n")) {
      if (within && line.isEmpty()) {
        break;
      }
      if (within && !line.matches(".*  in [\\d,]+ more [a-z]+")) {
        rows.add(line.strip().replaceAll(" {2,}", "  "));
      }
      within |= line.endsWith("  " + heading);
    }
    return rows;
  }

  private static String row(Long self, long total, long all, String name) {
    String own = share(self == null ? 0 : self, all);
    return own + (share(total, all).length() == 7 ? " " : "  ") + share(total, all) + "  " + name;
  }

  private static String share(long part, long all) {
    double percent = 100.0 * part / all;
    if (part > 0 && percent < 0.05) {
      return "<0.1 %";
    }
    return part < all && percent >= 99.95
        ? ">99.9 %"
        : String.format(Locale.ROOT, "%.1f %%", percent);
  }

  private static String library(String frame) {
    if (frame.endsWith("]") && frame.contains(" [")) {
      String module = frame.substring(frame.lastIndexOf(" [") + 2, frame.length() - 1);
      return libraryNamed(module.replaceFirst("\\+0x[0-9a-f]+$", ""));
    }
    if (frame.matches("\\S+\\+0x[0-9a-f]+(\\.\\.0x[0-9a-f]+)?")) {
      return libraryNamed(frame.replaceFirst("\\+0x[0-9a-f.x]+$", ""));
    }
    if (frame.equals("[kernel]")) {
      return "kernel";
    }
    return frame.contains(".") ? "Java" : "JVM (stubs, interpreter)";
  }

  private static String libraryNamed(String name) {
    return name.equals("libjvm.so") ? "JVM (libjvm.so)" : name;
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void helpAndVersion(Jvm jvm) throws Exception {
    Ended version = commandLine(jvm, "--version");
    assertTrue(version.out().matches("Stackweave \\d+\\.\\d+\\.\\d+\\S*\n"), version.out());
    assertEquals(0, version.exit());
    Ended help = commandLine(jvm, "--help");
    assertTrue(help.out().contains("collapsed") && help.out().contains("flamegraph"), help.out());
    assertTrue(help.out().contains("Hot functions, libraries and threads"), help.out());
    assertEquals(0, help.exit());
    assertEquals("", version.err() + help.err());
    assertEquals(help.out(), commandLine(jvm, "help").out());
    Ended attach = commandLine(jvm, "help", "attach");
    assertEquals(0, attach.exit());
    assertEquals(attach.out(), commandLine(jvm, "attach", "--help").out());
    Ended unknown = commandLine(jvm, "attach", "1", "colour=red");
    Matcher known = Pattern.compile("\\(known: (.*?)\\)").matcher(unknown.err());
    assertTrue(known.find(), unknown.err());
    for (String option : known.group(1).split(", ")) {
      assertTrue(attach.out().contains("\n  " + option + "="), option + ": " + attach.out());
    }
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void aNameThatTheLocaleHasNoCharactersForIsSaid(Jvm jvm) throws Exception {
    List<String> arguments = List.of("-jar", Jars.AGENT.toString(), "collapsed", "$0");
    ProcessBuilder builder = jvm.start(directory, arguments);
    // A shell, for this JVM may be in that locale itself.
    String command =
        String.join(" ", builder.command()).replace("$0", "\"$(printf 'gr\\303\\266')\"");
    builder.command("sh", "-c", command).environment().put("LC_ALL", "C");
    Process process = builder.start();
    String said = new String(process.getErrorStream().readAllBytes(), "US-ASCII");
    assertEquals(2, process.waitFor());
    assertTrue(
        said.matches("stackweave: 'gr\\?\\?' has characters .* with LC_ALL=C.UTF-8\n"), said);
  }

  /** Made with jlink, of java.base alone: enough to read a recording, not to send it. */
  @Test
  void whatARuntimeLacksIsNamed() throws Exception {
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    assumeTrue(Files.exists(jvm.home().resolve("jmods/java.base.jmod")), "no modules to link");
    recordWithAgent(jvm);
    Path runtime = directory.resolve("runtime");
    String jlink = jvm.home().resolve("bin/jlink").toString();
    Commands.output(jlink, "--add-modules", "java.base", "--output", runtime);
    Jvm small = new Jvm(new Jdk(runtime, jvm.feature(), jvm.jdk().version()));
    assertEquals(0, commandLine(small, "--version").exit());
    assertTrue(
        commandLine(small, "collapsed", "rec.jfr").successfully().out().contains("BurnsCpu.burn"));
    assertFailed(
        "this Java runtime lacks jdk.jfr.*JDK of version 17 or newer",
        commandLine(small, "otlp", "rec.jfr", "--endpoint", "http://localhost:1"));
  }

  @ParameterizedTest
  @CsvSource({"collapsed, rec.jfr", "flamegraph, rec.jfr", "jfc,"})
  void aDashIsStandardOutput(String command, String recording) throws Exception {
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    recordWithAgent(jvm);
    List<String> arguments = new ArrayList<>(List.of(command));
    if (recording != null) {
      arguments.add(recording);
    }
    arguments.addAll(List.of("-o", "x"));
    commandLine(jvm, arguments.toArray(new String[0]));
    arguments.set(arguments.size() - 1, "-");
    Ended result = commandLine(jvm, arguments.toArray(new String[0]));
    assertEquals(0, result.exit(), result.err());
    assertEquals(Files.readString(directory.resolve("x")), result.out());
  }

  private static void assertFailed(String message, Ended result) {
    assertEquals("", result.out());
    assertEquals(1, result.err().lines().count(), result.err());
    assertTrue(result.err().matches("stackweave: (" + message + ")\n"), result.err());
    assertEquals(2, result.exit());
  }

  private static boolean isCollapsed(String line) {
    return COLLAPSED.matcher(line).matches();
  }

  private static long count(String collapsed) {
    return collapsed
        .lines()
        .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  /**
   * One of a program that began to work when it was sampled, and had 500 samples of that, or as
   * many as the machine delivers in so much CPU time; its work is most of what there is.
   */
  private void recordWithAgent(Jvm jvm) throws Exception {
    Path made = recordings.resolve(jvm.feature() + "-rec.jfr");
    if (!Files.exists(made)) {
      List<String> arguments =
          List.of(
              "-javaagent:" + Jars.AGENT,
              "-Xlog:jfr+startup=off",
              "-XX:StartFlightRecording:filename=" + made,
              "-cp",
              Jars.apps().toString(),
              BurnsWhenTold.class.getName());
      try (LiveJvm live = LiveJvm.start(jvm, directory, arguments, new ArrayList<>())) {
        live.awaitStatus("sampling", status -> status.startsWith("state: sampling"));
        live.tell("work", "burning");
        live.awaitSamplesOf("java", Duration.ofSeconds(5)); // as the kernel calls its main thread
        live.awaitMostOfCpu("java");
        live.awaitSamples(200);
        live.end().successfully();
      }
    }
    Files.copy(made, directory.resolve("rec.jfr"));
  }

  /** A recording of a program that ends at once, without an agent. */
  private void provideWithoutSamples(Jvm jvm) throws Exception {
    Path made = recordings.resolve(jvm.feature() + "-without.jfr");
    if (!Files.exists(made)) {
      jvm.run(
              directory,
              List.of(
                  "-XX:StartFlightRecording:filename=" + made,
                  "-cp",
                  Jars.apps().toString(),
                  Hello.class.getName()))
          .successfully();
    }
    Files.copy(made, directory.resolve("without.jfr"));
  }

  private Ended commandLine(Jvm jvm, String... arguments) throws Exception {
    return jvm.commandLine(directory, arguments);
  }
}
