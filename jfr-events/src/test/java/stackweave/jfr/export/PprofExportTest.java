package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static stackweave.jfr.export.PprofMessage.number;

import com.google.protobuf.DynamicMessage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.Gcc;

/** Profiles for pprof, read by the library of protocol buffers and by {@code go tool pprof}. */
class PprofExportTest {
  private static final String INLINE = " (inline)";
  private static final Pattern VALUE = Pattern.compile(" *(\\d+)(?:ns)?   (.*)");

  @TempDir private Path directory;

  @Test
  void hasTheStacksOfTheCollapsedFormat() throws Exception {
    for (SampledRecording recording :
        List.of(
            ManyStacks.all(directory),
            ManyStacks.one(directory),
            ManyStacks.twoProcesses(Files.createDirectory(directory.resolve("two"))))) {
      decoded(recording, Selection.ALL).stacks().assertAreThoseOf(recording, Selection.ALL);
    }
  }

  @Test
  void saysWhatPprofAsks() throws Exception {
    PprofMessage decoded = decoded(ManyStacks.all(directory), Selection.ALL);
    DynamicMessage profile = decoded.message();
    List<String> types = new ArrayList<>();
    for (DynamicMessage type : PprofMessage.messages(profile, "sample_type")) {
      types.add(decoded.text(type, "type") + "/" + decoded.text(type, "unit"));
    }
    assertEquals(List.of("samples/count", "cpu/nanoseconds"), types);
    assertEquals("cpu", decoded.text(profile, "default_sample_type"));
    long age = System.currentTimeMillis() - number(profile, "time_nanos") / 1_000_000;
    assertTrue(age >= 0 && age < 600_000, age + " ms");
    assertTrue(number(profile, "duration_nanos") > 0);

    Set<String> states = new TreeSet<>();
    Set<String> kinds = new TreeSet<>();
    Set<String> contexts = new TreeSet<>();
    for (DynamicMessage sample : PprofMessage.messages(profile, "sample")) {
      states.add(decoded.labels(sample).get("state"));
      kinds.add(decoded.labels(sample).getOrDefault("kind", "none"));
      contexts.add(decoded.labels(sample).getOrDefault("context_id", "none"));
    }
    assertEquals(Set.of("on CPU", "waiting"), states);
    assertEquals(Set.of("C2", "inlined", "interpreted", "kernel", "native", "none"), kinds);
    assertEquals(Set.of("123456789abc", "ffffffffffffffff", "none"), contexts);

    List<String> mappings = new ArrayList<>();
    for (DynamicMessage mapping : decoded.mappings()) {
      mappings.add(
          decoded.text(mapping, "build_id").length() + " " + number(mapping, "has_functions"));
      assertEquals(0, number(mapping, "memory_start"));
      assertEquals(-1, number(mapping, "memory_limit"));
    }
    assertEquals(List.of("40 1", "0 0", "0 1"), mappings);
    List<Long> inlined = new ArrayList<>();
    for (DynamicMessage location : PprofMessage.messages(profile, "location")) {
      if (PprofMessage.messages(location, "line").size() == 3) {
        PprofMessage.messages(location, "line").forEach(l -> inlined.add(number(l, "line")));
      }
    }
    assertEquals(List.of(6L, 5L, 12L), inlined);
  }

  @Test
  void goToolPprofReadsTheSameStacks() throws Exception {
    Path file = directory.resolve("work.jfr");
    Workload.record(file);
    SampledRecording recording = SampledRecording.open(file);
    Path profile = write(recording, "work.pb.gz");
    ExportedStacks expected = decoded(recording, Selection.ALL).stacks();
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

  private static PprofMessage decoded(SampledRecording recording, Selection selection)
      throws Exception {
    return new PprofMessage(ExportedStacks.bytes(new PprofExport(selection), recording));
  }
}
