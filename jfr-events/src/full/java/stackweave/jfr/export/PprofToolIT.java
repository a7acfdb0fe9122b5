package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import stackweave.jfr.Programs;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.Gcc;

/** Profiles as {@code go tool pprof} reads them. */
@ResourceLock(Programs.OWN_JFR)
class PprofToolIT {
  private static final String INLINE = " (inline)";
  private static final Pattern VALUE = Pattern.compile(" *(\\d+)(?:ns)?   (.*)");

  @TempDir private Path directory;

  @Test
  void goToolPprofReadsTheSameStacks() throws Exception {
    Path file = directory.resolve("work.jfr");
    Workload.record(file);
    SampledRecording recording = SampledRecording.open(file);
    Path profile = write(recording, "work.pb.gz");
    ExportedStacks expected = PprofExportTest.decoded(recording, Selection.ALL).stacks();
    ExportedStacks.assertSame(expected.counts(), traces(profile, "samples"));
    ExportedStacks.assertSame(expected.nanos(), traces(profile, "cpu"));
    for (String report : List.of("-top", "-tree", "-raw", "-peek=.*", "-tags")) {
      assertTrue(!pprof(report, profile).out().isBlank(), report);
    }
  }

  @Test
  void goToolPprofReadsHostileNames() throws Exception {
    Path profile = write(ManyStacks.all(directory), "odd.pb.gz");
    for (String report : List.of("-top", "-tree", "-traces", "-raw", "-tags", "-svg")) {
      if (!report.equals("-svg") || Commands.exist("dot")) {
        String out = pprof(report, profile).out();
        assertFalse(out.contains("\u001b") || out.contains("\0"), report);
      }
    }
  }

  /** A function of a library whose recording has no symbols, by the address alone. */
  @Test
  void goToolPprofFindsTheFunctionOfAnAddress() throws Exception {
    assumeTrue(Commands.exist("addr2line") && Commands.exist("gcc"), "needs binutils and gcc");
    Path library =
        Gcc.library(
            directory,
            "burns",
            "int first(int a) { return a * 3 + 1; }\nint burns_here(int a) { return a / 7; }\n",
            "-g",
            "-Wl,--build-id");
    String symbol =
        Commands.output("nm", library)
            .lines()
            .filter(l -> l.endsWith(" burns_here"))
            .findAny()
            .get();
    long start = Long.parseLong(symbol.substring(0, symbol.indexOf(' ')), 16);
    Matcher id =
        Pattern.compile("Build ID: ([0-9a-f]+)").matcher(Commands.output("readelf", "-n", library));
    assertTrue(id.find());
    SampledRecording recording =
        ManyStacks.record(
            directory.resolve("library.jfr"),
            store -> {
              long module = ManyStacks.module(store, library.toString(), id.group(1));
              String name = "libburns.so+0x" + Long.toHexString(start);
              long method = store.method(MethodDefinition.symbol(module, name, start));
              long node = store.node(EventStore.ROOT, method, ManyStacks.NATIVE, -1, 3);
              long thread = store.thread(1, "main", 1, false, 0, null);
              ManyStacks.sample(store, thread, 0, 10_000_000, node, 0, 0);
            });
    Path profile = write(recording, "library.pb.gz");
    assumeTrue(Commands.exist("go"), "needs go tool pprof (Debian: golang-go)");
    String top = Commands.output("go", "tool", "pprof", "-top", "-lines", profile);
    assertTrue(top.contains("burns_here") && top.contains("burns.c:2"), top);
  }

  private static Map<String, Long> traces(Path profile, String index) throws Exception {
    ExportedStacks stacks = new ExportedStacks();
    String[] blocks =
        pprof("-traces", "-unit=ns", "-sample_index=" + index, profile)
            .out()
            .split("(?m)^-----------\\+-+\n");
    for (String block : blocks) {
      String thread = null;
      long value = 0;
      Deque<String> frames = new ArrayDeque<>();
      for (String line : block.lines().toList()) {
        Matcher first = VALUE.matcher(line);
        if (line.strip().startsWith("thread:") && frames.isEmpty()) {
          thread = line.strip().substring("thread:".length()).strip();
        } else if (first.matches()) {
          value = Long.parseLong(first.group(1));
          frames.push(name(first.group(2)));
        } else if (!frames.isEmpty()) {
          frames.push(name(line.strip()));
        }
      }
      if (thread != null) {
        stacks.add(thread, new ArrayList<>(frames), value, 0);
      }
    }
    return stacks.counts();
  }

  /** Without pprof's mark of those that are not the last line of their location. */
  private static String name(String text) {
    return text.endsWith(INLINE) ? text.substring(0, text.length() - INLINE.length()) : text;
  }

  private static Ended pprof(Object... arguments) throws Exception {
    assumeTrue(Commands.exist("go"), "needs go tool pprof (Debian: golang-go)");
    List<Object> command = new ArrayList<>(List.of("go", "tool", "pprof", "-symbolize=none"));
    command.addAll(List.of(arguments));
    return Commands.run(command.toArray()).successfully();
  }

  private Path write(SampledRecording recording, String name) throws Exception {
    byte[] bytes = ExportedStacks.bytes(new PprofExport(Selection.ALL), recording);
    return Files.write(directory.resolve(name), bytes);
  }
}
