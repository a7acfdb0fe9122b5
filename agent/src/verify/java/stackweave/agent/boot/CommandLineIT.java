package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.jfr.event.SampleRecord.Kind.CPU;
import static stackweave.jfr.event.SampleRecord.Kind.WALL;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
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
import java.util.zip.GZIPInputStream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.jfr.event.SampleRecord;
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
import stackweave.testing.Machine;

/** {@code java -jar stackweave-agent.jar …}, as a user types it. */
@Order(6)
class CommandLineIT extends CommandLineRuns {
  private static final Pattern COLLAPSED = Pattern.compile("[^;]+(;[^;]+)* [1-9]\\d*");

  /** Most commands: how the jar starts is seen with the others. */
  private static OneJvm warm;

  @BeforeAll
  static void begin() throws IOException {
    warm = OneJvm.start(Jvm.all().findFirst().orElseThrow(), directory);
  }

  @AfterAll
  static void end() throws IOException {
    warm.close();
  }

  private static Ended warm(String... arguments) throws IOException {
    return warm.run(arguments);
  }

  /** What a command that succeeds writes to a file. */
  private static String written(String... arguments) throws IOException {
    List<String> words = new ArrayList<>(List.of(arguments));
    words.addAll(List.of("-o", "written"));
    warm(words.toArray(String[]::new)).successfully();
    return Files.readString(directory.resolve("written"));
  }

  /** One line on stderr, exit code 2, nothing on stdout. Many more are in {@code FailuresTest}. */
  @Test
  void failsInOneLine() throws Exception {
    Ended result = commandLine(Jvm.all().findFirst().orElseThrow(), "collapsed", "missing.jfr");
    assertFailed("missing.jfr: no such file", result);
  }

  /**
   * Descriptor 1 is the JVM's own file of modules then, which must neither be closed, which ends
   * the JVM, nor written.
   */
  @Test
  void whatTheCallerHasNotOpenedForWritingIsRefused() throws Exception {
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    Path kept = Files.writeString(directory.resolve("kept"), "kept");
    assertFailed("can't write to standard output: Bad file descriptor.*", inShell(jvm, "-", ">&-"));
    assertFailed(
        "can't write /dev/fd/9: that descriptor is a file: .*",
        inShell(jvm, "/dev/fd/9", "9<" + kept));
    assertEquals("kept", Files.readString(kept));
  }

  private static Ended inShell(Jvm jvm, String output, String redirection) throws Exception {
    List<String> words = ForkedJvm.agentCommand(jvm.jdk(), "jfc", "-o", output);
    return Commands.run(
        new ProcessBuilder("sh", "-c", String.join(" ", words) + " " + redirection));
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void exportsARecording(Jvm jvm) throws Exception {
    recordWithAgent(jvm);

    Ended collapsed = commandLine(jvm, "collapsed", "rec.jfr");
    assertEquals(0, collapsed.exit(), collapsed.err());
    assertEquals(List.of(), collapsed.out().lines().filter(l -> !isCollapsed(l)).toList());
    assertTrue(collapsed.out().contains("BurnsCpu.burn"), collapsed.out());

    assertEquals(0, warm("merge", "rec.jfr", "-o", "merged.jfr").exit());
    NavigableSet<Instant> sampled = times("rec.jfr", "stackweave.StackSample");
    Set<Instant> ofJfr = times("rec.jfr", "jdk.ExecutionSample");
    ofJfr.removeIf(time -> time.isBefore(sampled.first()) || time.isAfter(sampled.last()));
    assertFalse(ofJfr.isEmpty(), "JFR took no samples meanwhile");
    ofJfr.retainAll(times("merged.jfr", "jdk.ExecutionSample"));
    assertEquals(Set.of(), ofJfr, "ours stand for these");

    Ended file = warm("collapsed", "rec.jfr", "-o", "c.txt");
    assertEquals(0, file.exit(), file.err());
    assertEquals("", file.out());
    assertEquals(collapsed.out(), Files.readString(directory.resolve("c.txt")));

    assertEquals("", endsWithItsReader(jvm, "pprof"));

    String threads = written("collapsed", "--threads", "rec.jfr");
    assertEquals(List.of(), threads.lines().filter(l -> l.charAt(0) != '[').toList());
    assertTrue(threads.contains("[main];"), threads);
    assertEquals(count(collapsed.out()), count(threads));

    Ended page = warm("flamegraph", "rec.jfr");
    assertEquals(0, page.exit(), page.err());
    assertEquals("rec.html\n", page.out());
    String html = Files.readString(directory.resolve("rec.html"));
    assertTrue(html.contains("rec.jfr"));
    assertTrue(FlamePageNames.of(html).stream().anyMatch(name -> name.endsWith("BurnsCpu.burn")));
    Ended both = warm("flamegraph", "--diff", "rec.jfr", "rec.jfr");
    assertEquals("rec-diff.html\n", both.out(), both.err());
    Ended twice = warm("flamegraph", "rec.jfr", "rec.jfr");
    assertEquals(2, twice.exit(), twice.err());
    assertTrue(
        twice.err().matches("stackweave: .* in common, .* merge rec.jfr -o merged.jfr\n"),
        twice.err());

    String report = written("report", "rec.jfr");
    assertTrue(report.contains("WHERE THE CPU TIME WENT"), report);
    Ended same =
        warm(
            "report", "-o", "report.txt", "--diff", "rec.jfr", "rec.jfr", "--fail-if", "Java +1pp");
    assertEquals(0, same.exit(), same.err());
    String text = Files.readString(directory.resolve("report.txt"));
    assertTrue(text.contains("Java +1pp: not exceeded"), text);
    Ended unknown =
        warm(
            "report",
            "-o",
            "report.txt",
            "--diff",
            "rec.jfr",
            "rec.jfr",
            "--fail-if",
            "no.so +1pp");
    assertEquals(2, unknown.exit(), unknown.err());
    recordWithoutJava(directory.resolve("before.jfr"));
    Ended more =
        warm(
            "report",
            "-o",
            "report.txt",
            "--diff",
            "before.jfr",
            "rec.jfr",
            "--fail-if",
            "Java +1pp");
    assertEquals(1, more.exit(), more.err());
    assertTrue(more.err().endsWith("stackweave: exceeded: Java +1pp\n"), more.err());
    byte[] whole = Files.readAllBytes(directory.resolve("rec.jfr"));
    byte[] twoAndAHalf = Arrays.copyOf(whole, 2 * whole.length + whole.length / 2);
    System.arraycopy(whole, 0, twoAndAHalf, whole.length, whole.length);
    System.arraycopy(whole, 0, twoAndAHalf, 2 * whole.length, whole.length / 2);
    Files.write(directory.resolve("cut.jfr"), twoAndAHalf);
    Ended cut =
        warm(
            "report", "-o", "report.txt", "--diff", "rec.jfr", "cut.jfr", "--fail-if", "Java +1pp");
    assertEquals(2, cut.exit(), cut.err());
    assertTrue(cut.err().contains("cut.jfr: the recording was cut short"), cut.err());
    assertTrue(cut.err().contains("--fail-if needs whole recordings"), cut.err());
    Ended seen = warm("report", "-o", "report.txt", "--diff", "rec.jfr", "cut.jfr");
    assertEquals(0, seen.exit(), seen.err());
    assertTrue(seen.err().contains("cut.jfr: the recording was cut short"), seen.err());
    text = Files.readString(directory.resolve("report.txt"));
    assertTrue(text.contains("After: the recording was cut short"), text);
  }

  /** All commands read CPU time, and with --wall or --state waiting, too. */
  @Test
  void waitingIsReadWhereItIsAskedFor() throws Exception {
    recordWaiting(directory.resolve("waits.jfr"));
    assertEquals("main 500\n", written("collapsed", "waits.jfr"));
    assertEquals(
        "main 5000000000\nmain;read 7000000000\n", written("collapsed", "waits.jfr", "--wall"));
    assertEquals(
        "main;read 7000000000\n", written("collapsed", "waits.jfr", "--state=socket,sleep"));
    assertEquals(
        "main 5000000000\n", written("collapsed", "waits.jfr", "--total", "-s", "running"));
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    String top = commandLine(jvm, "top", "waits.jfr", "--wall").successfully().out();
    assertTrue(top.contains("Shares of the 12.00 s of wall time"), top);
    assertTrue(top.contains(" 58.3 %  7.00 s  socket\n"), top);
    String counted = commandLine(jvm, "top", "waits.jfr", "--samples").successfully().out();
    assertTrue(counted.contains("Shares of the 500 samples"), counted);
    assertFailed("--samples is of CPU time: .*", warm("top", "x", "--wall", "--samples"));
    String report = written("report", "waits.jfr");
    assertTrue(report.contains("stand for 5.00 s of CPU time"), report);
    assertTrue(report.contains("12.00 s of wall time of 1 thread within"), report);
    String waiting = written("report", "waits.jfr", "--wall");
    assertFalse(waiting.contains("CPU TIME WENT"), waiting);
    assertTrue(waiting.contains("58.3 % was waiting: 58.3 % socket"), waiting);
    for (String command : List.of("flamegraph", "pprof", "otlp", "speedscope", "firefox")) {
      warm(command, "waits.jfr", "-o", command, "--wall").successfully();
    }
    warm("flamegraph", "--diff", "waits.jfr", "waits.jfr", "--wall").successfully();
    recordWithoutJava(directory.resolve("cpu.jfr"));
    for (String command : List.of("top", "libraries")) {
      assertFailed(
          "cpu.jfr: holds no samples of waiting threads, since none were asked for: .*",
          warm(command, "cpu.jfr", "--wall"));
    }
    assertFailed(
        "waits.jfr: none of its samples is selected: the threads' states are on CPU, socket",
        warm("top", "waits.jfr", "--state=monitor"));
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
    Ended beside = warm(command, "rec.jfr").successfully();
    assertEquals(file + "\n", beside.out());
    long all = Files.size(directory.resolve(file));
    Ended named = warm(command, "rec.jfr", "-o", "x", "-I", ".*BurnsCpu.*").successfully();
    assertEquals("x\n", named.out());
    long selected = Files.size(directory.resolve("x"));
    assertTrue(selected > 100 && selected < all, selected + " of " + all);
    Ended none = warm(command, "rec.jfr", "-o", "y", "--from", "1h");
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
          warm("otlp", "rec.jfr", "--endpoint", url, "--headers", "headers", "-o", "file")
              .successfully();
      assertEquals("file\n", sent.out());
      Ended over =
          warm("otlp", "rec.jfr", "--endpoint", url, "--headers", "headers", "-o", "./headers");
      assertFailed("./headers is the file of headers itself: .*", over);
      assertEquals("x-key: hidden\n", Files.readString(directory.resolve("headers")));
      assertTrue(sent.err().contains("sent to " + url + "/v1development/profiles"), sent.err());
      assertEquals(List.of("/v1development/profiles [hidden]"), seen);
      assertArrayEquals(Files.readAllBytes(directory.resolve("file")), body[0]);

      Ended refused = warm("otlp", "rec.jfr", "--endpoint", url + "/other");
      assertEquals(2, refused.exit());
      assertEquals("", refused.out());
      assertTrue(refused.err().contains(url + "/other refused the profile: HTTP 403"));
      assertEquals("/other null", seen.get(1));
    } finally {
      server.stop(0);
    }
  }

  /** The variables of a service's environment are those of each command that is run there. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#ends")
  void anEnvironmentThatRecordsChangesNoRecording(Jvm jvm) throws Exception {
    recordWithAgent(jvm);
    Path rec = directory.resolve("rec.jfr");
    byte[] before = Files.readAllBytes(rec);
    String records = "-Xlog:disable -XX:StartFlightRecording:filename=" + rec;
    String agent = " -javaagent:" + Jars.AGENT;
    Ended read = inEnvironment(jvm, records + agent, "top", "rec.jfr").successfully();
    assertEquals(commandLine(jvm, "top", "rec.jfr").out(), read.out());
    assertArrayEquals(before, Files.readAllBytes(rec));
    // Without the agent JFR comes first.
    Ended emptied = inEnvironment(jvm, records, "top", "rec.jfr");
    assertEquals(2, emptied.exit(), emptied.err());
    assertTrue(emptied.err().contains("_JAVA_OPTIONS starts a recording"), emptied.err());
    assertEquals(0, Files.size(rec));
  }

  private static Ended inEnvironment(Jvm jvm, String variable, String... arguments) {
    List<String> words = new ArrayList<>(List.of("-jar", Jars.AGENT.toString()));
    words.addAll(List.of(arguments));
    return ForkedJvm.on(jvm.jdk(), directory).environment("_JAVA_OPTIONS", variable).run(words);
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
    String collapsed = written("collapsed", "--total", "rec.jfr");
    long all = count(collapsed);
    for (String line : collapsed.split("\n")) {
      long nanos = count(line);
      List<String> frames =
          new ArrayList<>(List.of(line.substring(0, line.lastIndexOf(' ')).split(";")));
      if (frames.size() > 1) {
        frames.removeIf(frame -> frame.matches("\\[(truncated|stopped: .*)\\]"));
      }
      List<String> libraries = frames.stream().map(CommandLineIT::library).toList();
      self.merge(frames.get(frames.size() - 1), nanos, Long::sum);
      librarySelf.merge(libraries.get(libraries.size() - 1), nanos, Long::sum);
      new TreeSet<>(frames).forEach(frame -> total.merge(frame, nanos, Long::sum));
      new TreeSet<>(libraries).forEach(library -> libraryTotal.merge(library, nanos, Long::sum));
    }

    Ended top = commandLine(jvm, "top", "rec.jfr", "--wide", "-n", "99999");
    assertEquals(0, top.exit(), top.err());
    Set<String> expected = new TreeSet<>();
    total.forEach((name, nanos) -> expected.add(row(self.get(name), nanos, all, name)));
    assertEquals(expected, rows(top.out(), "FUNCTION"));
    Set<String> libraries = new TreeSet<>();
    libraryTotal.forEach(
        (name, nanos) -> libraries.add(row(librarySelf.get(name), nanos, all, name)));
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
    String collapsed = written("collapsed", "--total", "rec.jfr");
    for (String line : collapsed.split("\n")) {
      List<String> libraries =
          Arrays.stream(line.substring(0, line.lastIndexOf(' ')).split(";"))
              .map(CommandLineIT::library)
              .toList();
      self.merge(libraries.get(libraries.size() - 1), count(line), Long::sum);
      new TreeSet<>(libraries).forEach(library -> total.merge(library, count(line), Long::sum));
    }
    double all = count(collapsed);
    String table = written("libraries", "rec.jfr");
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
        assertTrue(table.lines().anyMatch(line -> isRow(line, row, file)), row + table);
        assertTrue(table.contains("\n\n" + file + "\nFile: /"), table);
        libraries++;
      }
    }
    assertTrue(libraries > 2, total::toString);
    assertEquals(List.of(), table.lines().filter(line -> line.length() > 80).toList());
    String html = written("libraries", "rec.jfr", "--html");
    assertTrue(html.contains("<td dir=\"auto\">libjvm.so</td>"), html);
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void topFitsATerminal(Jvm jvm) throws Exception {
    recordWithAgent(jvm);
    Ended top = commandLine(jvm, "top", "rec.jfr");
    assertEquals(0, top.exit(), top.err());
    assertEquals(List.of(), top.err().lines().filter(line -> !Machine.isOfLoad(line)).toList());
    assertEquals(List.of(), top.out().lines().filter(line -> line.length() > 80).toList());
    assertTrue(top.out().contains("of CPU time that the samples stand for"), top.out());
    // Compressing noise is zlib's work, and main's.
    assertTrue(rows(top.out(), "LIBRARY").iterator().next().contains("libz"), top.out());
    assertTrue(rows(top.out(), "THREAD").iterator().next().endsWith("  main"), top.out());
    Ended byTotal = commandLine(jvm, "top", "rec.jfr", "--by", "total", "-n", "9");
    assertEquals(9, rows(byTotal.out(), "FUNCTION").size(), byTotal.out());
    assertTrue(rows(byTotal.out(), "FUNCTION").iterator().next().contains(" [lib"), byTotal.out());
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void helpAndVersion(Jvm jvm) throws Exception {
    Ended version = commandLine(jvm, "--version");
    assertTrue(version.out().matches("Stackweave \\d+\\.\\d+\\.\\d+\\S*\n"), version.out());
    assertEquals(0, version.exit());
    Ended help = warm("--help");
    assertTrue(help.out().contains("collapsed") && help.out().contains("flamegraph"), help.out());
    assertTrue(help.out().contains("Hot functions, libraries and threads"), help.out());
    assertEquals(0, help.exit());
    assertEquals("", version.err() + help.err());
    assertEquals(help.out(), warm("help").out());
    Ended attach = warm("help", "attach");
    assertEquals(0, attach.exit());
    assertEquals(attach.out(), warm("attach", "--help").out());
    Ended unknown = warm("attach", "1", "colour=red");
    Matcher known = Pattern.compile("\\(known: (.*?)\\)").matcher(unknown.err());
    assertTrue(known.find(), unknown.err());
    for (String option : known.group(1).split(", ")) {
      assertTrue(attach.out().contains("\n  " + option + "="), option + ": " + attach.out());
    }
  }

  private NavigableSet<Instant> times(String recording, String type) throws IOException {
    return RecordingFile.readAllEvents(directory.resolve(recording)).stream()
        .filter(event -> event.getEventType().getName().equals(type))
        .map(RecordedEvent::getStartTime)
        .collect(Collectors.toCollection(TreeSet::new));
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
        store.write(
            new SampleRecord().begin(CPU, System.nanoTime(), 10_000_000).stack(thread, node, 0, 0));
      }
      store.flush();
      recording.dump(file);
    }
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
        store.write(
            new SampleRecord().begin(CPU, System.nanoTime(), 10_000_000).stack(thread, node, 0, 0));
      }
      int socket = ThreadState.SOCKET.code();
      for (int i = 0; i < 70; i++) {
        store.write(
            new SampleRecord()
                .begin(WALL, System.nanoTime(), 100_000_000)
                .stack(thread, wait, 0, 0)
                .state(socket));
      }
      store.flush();
      recording.dump(file);
    }
  }

  private static boolean isRow(String line, String shares, String name) {
    return line.endsWith("  " + name) && line.strip().replaceAll(" +", " ").startsWith(shares);
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

  /** As the tables have it; the vdso, of which there is no file, has a name in brackets. */
  private static String libraryNamed(String name) {
    return switch (name) {
      case "libjvm.so" -> "JVM (libjvm.so)";
      case "vdso" -> "[vdso]";
      default -> name;
    };
  }

  private static boolean isCollapsed(String line) {
    return COLLAPSED.matcher(line).matches();
  }
}
