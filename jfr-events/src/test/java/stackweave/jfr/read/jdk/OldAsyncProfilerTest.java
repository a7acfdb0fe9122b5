package stackweave.jfr.read.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.JdkEvent;
import stackweave.jfr.read.choice.SampleChoice;

/**
 * Recordings of async-profiler before 4.0, which had other settings and states, beside what the
 * JDK's own reader has of them. The README beside them says how they were made.
 */
class OldAsyncProfilerTest {
  private static final SampleChoice CPU = SampleChoice.CPU.orOfJdk();
  private static final SampleChoice WALL = SampleChoice.WALL.orOfJdk();
  private static final SampleChoice ALLOCATIONS = SampleChoice.ofEvent(JdkEvent.ALLOCATIONS);
  private static final SampleChoice LOCKS = SampleChoice.ofEvent(JdkEvent.LOCK_WAITS);
  private static final Set<String> EXECUTION = Set.of("jdk.ExecutionSample");

  @TempDir private Path directory;

  private Path unpack(String name) throws Exception {
    Path file = directory.resolve(name);
    try (InputStream in =
        new GZIPInputStream(
            OldAsyncProfilerTest.class.getResourceAsStream("/async-profiler/" + name + ".gz"))) {
      Files.copy(in, file);
    }
    return file;
  }

  private static String why(Path file, SampleChoice choice) {
    return assertThrows(RecordingException.class, () -> SampleText.open(file, choice))
        .whyWithoutSamples();
  }

  /** The version has one state for all samples of CPU time: that of a thread that runs. */
  @Test
  void cpuTimeOfVersion2() throws Exception {
    Path file = unpack("2.9-cpu.jfr");
    SampleText.assertSame(file, CPU, EXECUTION, event -> 5_000_000, "");
    SampledRecording recording = SampleText.open(file, CPU);
    assertEquals("cpu", recording.choice().type());
    assertEquals("async-profiler 2.9 (jdk.ExecutionSample)", recording.figures().engine());
    SampleText.assertSame(
        file,
        ALLOCATIONS,
        Set.of("jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB"),
        event -> event.getLong(event.hasField("tlabSize") ? "tlabSize" : "allocationSize"),
        "objectClass");
    SampleText.assertSame(
        file,
        LOCKS,
        Set.of("jdk.JavaMonitorEnter"),
        event -> event.getDuration().toNanos(),
        "monitorClass");
    assertTrue(why(file, WALL).contains("none of async-profiler's of wall-clock time"));
  }

  @Test
  void wallClockTimeOfVersion2() throws Exception {
    Path file = unpack("2.9-wall.jfr");
    SampleText.assertSame(file, WALL, EXECUTION, event -> 20_000_000, "");
    SampledRecording recording = SampleText.open(file, WALL);
    assertEquals(Set.of("on CPU", "not known"), recording.nanosByState().keySet());
    assertTrue(why(file, CPU).contains("of wall-clock time: --wall shows them"));
    assertTrue(why(file, ALLOCATIONS).contains("async-profiler records them with -e alloc"));
    assertTrue(why(file, LOCKS).contains("async-profiler records them with -e lock"));
  }

  /** The version had both in one file first, and tells them by the state. */
  @Test
  void bothOfVersion3() throws Exception {
    Path file = unpack("3.0-both.jfr");
    Map<String, Long> states = new HashMap<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
      if (EXECUTION.contains(event.getEventType().getName())) {
        states.merge(event.getString("state"), 1L, Long::sum);
      }
    }
    assertEquals(Set.of("STATE_DEFAULT", "STATE_RUNNABLE", "STATE_SLEEPING"), states.keySet());
    SampledRecording cpu = SampleText.open(file, CPU);
    assertEquals("async-profiler 3.0 (jdk.ExecutionSample)", cpu.figures().engine());
    assertEquals(states.get("STATE_DEFAULT") * 5_000_000, cpu.weightNanos());
    SampledRecording wall = SampleText.open(file, WALL);
    assertEquals(states.get("STATE_SLEEPING") * 20_000_000, wall.nanosByState().get("not known"));
    assertEquals(states.get("STATE_RUNNABLE") * 20_000_000, wall.nanosByState().get("on CPU"));
  }
}
