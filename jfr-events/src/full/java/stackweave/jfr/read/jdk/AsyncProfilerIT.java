package stackweave.jfr.read.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import one.profiler.AsyncProfiler;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.JdkEvent;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.testing.Exact;
import stackweave.testing.Jdk;

/**
 * Recordings of async-profiler: sample by sample as the JDK's own reader has them, and stack by
 * stack as its own converter has them.
 */
@Exact
class AsyncProfilerIT {
  private static final SampleChoice CPU = SampleChoice.CPU.orOfJdk();
  private static final SampleChoice WALL = SampleChoice.WALL.orOfJdk();
  private static final Set<String> EXECUTION = Set.of("jdk.ExecutionSample");
  private static final Set<String> WALL_CLOCK = Set.of("profiler.WallClockSample");

  @TempDir private static Path directory;
  private static Path library;

  /** The file that a user loads. */
  @BeforeAll
  static void unpack() throws Exception {
    library = directory.resolve("libasyncProfiler.so");
    String place = "/linux-x64/libasyncProfiler.so";
    try (InputStream in = AsyncProfiler.class.getResourceAsStream(place)) {
      Files.copy(in, library);
    }
  }

  private static Path record(Jdk jdk, String name, String options) throws Exception {
    Path file = directory.resolve(jdk.feature() + "-" + name + ".jfr");
    TracedWork.record(
        jdk, "-agentpath:" + library + "=start,jfr,loglevel=error," + options + ",file=" + file);
    return file;
  }

  /** CPU time with native and kernel frames, allocations and locks in one file. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onEnds")
  void cpuTime(Jdk jdk) throws Exception {
    Path file =
        record(jdk, "cpu", "event=cpu,interval=2ms,alloc=64k,lock=100us,cstack=vm,features=vtable");
    SampleText.assertSame(file, CPU, EXECUTION, event -> 2_000_000, "");
    assertTrue(Converted.assertSame(file, SampleChoice.ofEvent("jdk.ExecutionSample"), 0) > 10);
    SampledRecording recording = SampleText.open(file, CPU);
    assertEquals("cpu", recording.choice().type());
    assertEquals(2_000_000, recording.shortestIntervalNanos());
    assertTrue(recording.figures().engine().matches("async-profiler 4\\.\\S+ \\(jdk.*\\)"));
    SampleChoice allocations = SampleChoice.ofEvent(JdkEvent.ALLOCATIONS);
    assertTrue(Converted.assertSame(file, allocations, 0, "--alloc", "--total") > 5);
    SampleChoice locks = SampleChoice.ofEvent(JdkEvent.LOCK_WAITS);
    assertTrue(Converted.assertSame(file, locks, 2, "--lock", "--total") > 0);
    List<String> ours = SampleText.ours(file, CPU);
    for (String what : List.of("libz", "libjvm.so", " JIT compiled", " Inlined")) {
      assertTrue(ours.stream().anyMatch(line -> line.contains(what)), what);
    }
  }

  /** The interval where none was given, and threads of the CPU alone beside waiting ones. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void wallClockTime(Jdk jdk) throws Exception {
    Path file = record(jdk, "wall", "event=ctimer,wall=5ms");
    SampleText.assertSame(file, CPU, EXECUTION, event -> 10_000_000, "");
    SampledRecording recording = SampleText.open(file, WALL);
    assertEquals("wall", recording.choice().type());
    long[] samples = new long[1];
    SampleText.jdks(file, WALL_CLOCK, event -> samples[0] += event.getInt("samples"), "");
    assertEquals(samples[0] * 5_000_000, recording.weightNanos());
    Set<String> states = recording.nanosByState().keySet();
    assertEquals(Set.of("on CPU", "not known"), states);
  }

  /** What is no time is counted. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void otherEvents(Jdk jdk) throws Exception {
    Path file = record(jdk, "faults", "event=page-faults,interval=1");
    SampleText.assertSame(file, CPU, EXECUTION, event -> 1, "");
    SampledRecording recording = SampleText.open(file, CPU);
    assertTrue(recording.choice().isCounted());
    String warnings = recording.warnings().toString();
    assertTrue(warnings.contains("async-profiler's of the event page-faults"), warnings);
  }
}
