package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
import stackweave.testing.Commands;
import stackweave.testing.Ended;

/** Profiles as {@code go tool pprof} reads them: all reports, and hostile names. */
@ResourceLock(Programs.OWN_JFR)
class PprofToolMoreIT {
  private static final String INLINE = " (inline)";
  private static final Pattern VALUE = Pattern.compile(" *(\\d+)(?:ns)?   (.*)");

  @TempDir private Path directory;

  @Test
  void goToolPprofReadsTheSameStacks() throws Exception {
    Path file = directory.resolve("work.jfr");
    Workload.record(file);
    SampledRecording recording = SampledRecording.open(file);
    Path profile = PprofToolIT.write(recording, directory.resolve("work.pb.gz"));
    ExportedStacks expected = PprofExportTest.decoded(recording, Selection.ALL).stacks();
    ExportedStacks.assertSame(expected.counts(), traces(profile, "samples"));
    ExportedStacks.assertSame(expected.nanos(), traces(profile, "cpu"));
    for (String report : List.of("-top", "-tree", "-raw", "-peek=.*", "-tags")) {
      assertTrue(!pprof(report, profile).out().isBlank(), report);
    }
  }

  @Test
  void goToolPprofReadsHostileNames() throws Exception {
    Path profile = PprofToolIT.write(ManyStacks.all(directory), directory.resolve("odd.pb.gz"));
    for (String report : List.of("-top", "-tree", "-traces", "-raw", "-tags", "-svg")) {
      if (!report.equals("-svg") || Commands.exist("dot")) {
        String out = pprof(report, profile).out();
        assertFalse(out.contains("\u001b") || out.contains("\0"), report);
      }
    }
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
}
