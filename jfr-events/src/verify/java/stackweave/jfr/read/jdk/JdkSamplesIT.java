package stackweave.jfr.read.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.JdkEvent;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.testing.Exact;
import stackweave.testing.Jdk;

/**
 * Recordings that JFR alone made, by the JDKs of the machine: sample by sample as the JDK's own
 * reader has them, and stack by stack as jfr-converter has them.
 */
@Exact
class JdkSamplesIT {
  private static final SampleChoice CPU = SampleChoice.CPU.orOfJdk();
  private static final SampleChoice ALLOCATIONS = SampleChoice.ofEvent(JdkEvent.ALLOCATIONS);
  private static final SampleChoice LOCKS = SampleChoice.ofEvent(JdkEvent.LOCK_WAITS);

  @TempDir private Path directory;

  private Path record(Jdk jdk, String settings) throws Exception {
    Path file = directory.resolve("rec.jfr");
    TracedWork.record(
        jdk, "-XX:StartFlightRecording:settings=profile," + settings + ",filename=" + file);
    return file;
  }

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onEnds")
  void asUsual(Jdk jdk) throws Exception {
    Path file =
        record(
            jdk,
            "jdk.ExecutionSample#period=10ms,jdk.NativeMethodSample#period=10ms"
                + ",jdk.JavaMonitorEnter#threshold=1ms,jdk.ThreadPark#threshold=1ms");
    Set<String> execution = Set.of("jdk.ExecutionSample", "jdk.NativeMethodSample");
    SampleText.assertSame(file, CPU, execution, event -> 1, "");
    assertTrue(Converted.assertSame(file, CPU, 0) > 3);
    Set<String> allocation = Set.of("jdk.ObjectAllocationSample");
    SampleText.assertSame(
        file, ALLOCATIONS, allocation, event -> event.getLong("weight"), "objectClass");
    assertTrue(Converted.assertSame(file, ALLOCATIONS, 0, "--alloc", "--total") > 5);
    assertTrue(Converted.assertSame(file, LOCKS, 2, "--lock", "--total") > 1);
    for (SampleChoice choice : List.of(CPU, ALLOCATIONS, LOCKS)) {
      SampledRecording recording = SampleText.open(file, choice);
      assertEquals(List.of(), recording.losses());
      assertEquals(1, recording.sessions().size());
      assertTrue(recording.sessions().get(0).jdk().contains(jdk.version()), jdk::toString);
    }
    List<String> ours = SampleText.ours(file, CPU);
    ours.addAll(SampleText.ours(file, ALLOCATIONS));
    for (String what : List.of(" Interpreted", " JIT compiled")) {
      assertTrue(ours.stream().anyMatch(line -> line.contains(what)), what);
    }
  }

  /** The allocation events of old, and of JDK 25 on the samples of CPU time. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onEnds")
  void asIsOff(Jdk jdk) throws Exception {
    boolean hasCpuTime = jdk.feature() >= 25;
    Path file =
        record(
            jdk,
            "jdk.ObjectAllocationSample#enabled=false,jdk.ObjectAllocationInNewTLAB#enabled=true"
                + ",jdk.ObjectAllocationOutsideTLAB#enabled=true"
                + (hasCpuTime
                    ? ",jdk.CPUTimeSample#enabled=true,jdk.CPUTimeSample#throttle=5ms"
                    : ""));
    Set<String> allocation =
        Set.of("jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB");
    SampleText.assertSame(
        file,
        ALLOCATIONS,
        allocation,
        event -> event.getLong(event.hasField("tlabSize") ? "tlabSize" : "allocationSize"),
        "objectClass");
    assertTrue(Converted.assertSame(file, ALLOCATIONS, 0, "--alloc", "--total") > 5);
    if (hasCpuTime) {
      SampleText.assertSame(
          file,
          CPU,
          Set.of("jdk.CPUTimeSample"),
          event -> event.getDuration("samplingPeriod").toNanos(),
          "");
      SampledRecording recording = SampleText.open(file, CPU);
      assertEquals("cpu", recording.choice().type());
      assertEquals("JFR (jdk.CPUTimeSample)", recording.figures().engine());
      assertFalse(recording.warnings().toString().contains("left out"));
      otherPartsAreSaid(jdk, file);
    }
  }

  /** A part of a recording that has execution samples alone is left out, and that is said. */
  private void otherPartsAreSaid(Jdk jdk, Path withCpuTime) throws Exception {
    Path other = directory.resolve("other.jfr");
    TracedWork.record(jdk, "-XX:StartFlightRecording:settings=profile,filename=" + other);
    Path both = directory.resolve("both.jfr");
    Files.copy(withCpuTime, both);
    Files.write(both, Files.readAllBytes(other), StandardOpenOption.APPEND);
    Set<String> execution = Set.of("jdk.ExecutionSample", "jdk.NativeMethodSample");
    int samples = SampleText.jdks(other, execution, event -> 1, "").size();
    String warnings = SampleText.open(both, CPU).warnings().toString();
    assertTrue(samples > 0);
    assertTrue(
        warnings.contains(String.format("%,d execution samples are left out", samples)), warnings);
  }
}
