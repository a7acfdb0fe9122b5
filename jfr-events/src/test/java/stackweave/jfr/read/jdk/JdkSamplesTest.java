package stackweave.jfr.read.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.jfr.Programs;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.JdkEvent;
import stackweave.jfr.read.choice.SampleChoice;

/** Samples of a recording that JFR alone made, beside what the JDK's own reader has of them. */
@ResourceLock(Programs.OWN_JFR)
class JdkSamplesTest {
  private static final SampleChoice CPU = SampleChoice.CPU.orOfJdk();

  @TempDir private static Path directory;
  private static Path recorded;

  @BeforeAll
  static void record() throws Exception {
    recorded = directory.resolve("rec.jfr");
    TracedWork.record(
        recorded,
        "jdk.ActiveSetting",
        "jdk.ObjectAllocationInNewTLAB",
        "jdk.ObjectAllocationOutsideTLAB",
        "jdk.ThreadStart");
  }

  private static void assertSame(
      SampleChoice choice,
      Set<String> events,
      ToLongFunction<RecordedEvent> weight,
      String objectClass)
      throws Exception {
    SampleText.assertSame(recorded, choice, events, weight, objectClass);
  }

  @Test
  void executionSamplesAreCounted() throws Exception {
    Set<String> events = Set.of("jdk.ExecutionSample", "jdk.NativeMethodSample");
    assertSame(CPU, events, event -> 1, "");
    assertSame(SampleChoice.ofEvent(JdkEvent.EXECUTION_SAMPLES), events, event -> 1, "");
    SampledRecording recording = SampleText.open(recorded, CPU);
    assertTrue(recording.choice().isCounted());
    assertFalse(recording.isOfAgent());
    assertEquals(ProcessHandle.current().pid(), recording.sessions().get(0).pid());
    String warnings = recording.warnings().toString();
    assertTrue(warnings.contains("five threads in Java code every 10 ms"), warnings);
    String engine = recording.figures().engine();
    assertEquals("JFR (jdk.ExecutionSample, jdk.NativeMethodSample)", engine);
  }

  @Test
  void statesTellJavaCodeFromNative() throws Exception {
    SampleChoice inJava = SampleChoice.of(false, List.of("in Java code")).orOfJdk();
    assertSame(inJava, Set.of("jdk.ExecutionSample"), event -> 1, "");
    SampleChoice inNative = SampleChoice.of(false, List.of("in native code")).orOfJdk();
    assertSame(inNative, Set.of("jdk.NativeMethodSample"), event -> 1, "");
  }

  @Test
  void allocationsAreBytes() throws Exception {
    assertSame(
        SampleChoice.ofEvent(JdkEvent.ALLOCATIONS),
        Set.of("jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB"),
        event -> event.getLong(event.hasField("tlabSize") ? "tlabSize" : "allocationSize"),
        "objectClass");
  }

  @Test
  void lockWaitsAreTime() throws Exception {
    assertSame(
        SampleChoice.ofEvent("jdk.JavaMonitorEnter"),
        Set.of("jdk.JavaMonitorEnter"),
        event -> event.getDuration().toNanos(),
        "monitorClass");
    assertSame(
        SampleChoice.ofEvent("jdk.ThreadPark"),
        Set.of("jdk.ThreadPark"),
        event -> event.getDuration().toNanos(),
        "parkedClass");
  }

  private static boolean isOnCondition(RecordedEvent event) {
    RecordedClass parked = event.hasField("parkedClass") ? event.getClass("parkedClass") : null;
    return parked != null && parked.getName().endsWith("Synchronizer$ConditionObject");
  }

  /** What threads without work wait for is no lock; how much of it there is, is said. */
  @Test
  void locksAreWithoutQueues() throws Exception {
    long waits = 0;
    List<Duration> queues = new ArrayList<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(recorded)) {
      String name = event.getEventType().getName();
      if (isOnCondition(event)) {
        queues.add(event.getDuration());
      } else if (name.equals("jdk.ThreadPark") || name.equals("jdk.JavaMonitorEnter")) {
        waits++;
      }
    }
    assertTrue(waits > 0 && queues.size() > 10, waits + " " + queues.size());
    SampledRecording locks = SampleText.open(recorded, SampleChoice.ofEvent(JdkEvent.LOCK_WAITS));
    assertEquals(waits, locks.samples());
    long nanos = queues.stream().mapToLong(Duration::toNanos).sum();
    String warnings = locks.warnings().toString();
    assertTrue(
        warnings.contains(
            String.format(
                "%d waits on queues and conditions (%s)", queues.size(), Timespans.spoken(nanos))),
        warnings);
    assertTrue(warnings.contains("--event jdk.ThreadPark shows them"), warnings);
  }

  /** A recording of threads without work alone has no waits for locks, and says what it has. */
  @Test
  void queuesAloneAreNoLocks() throws Exception {
    Path file = directory.resolve("queues.jfr");
    boolean isAlone = false;
    for (int tries = 0; tries < 20 && !isAlone; tries++) { // other tests of this JVM may wait, too
      try (Recording recording = new Recording()) {
        recording.enable("jdk.ThreadPark").withThreshold(Duration.ofMillis(1));
        recording.start();
        new LinkedBlockingQueue<>().poll(5, TimeUnit.MILLISECONDS);
        recording.dump(file);
      }
      isAlone = RecordingFile.readAllEvents(file).stream().allMatch(JdkSamplesTest::isOnCondition);
    }
    assertTrue(isAlone);
    RecordingException e =
        assertThrows(
            RecordingException.class,
            () -> SampleText.open(file, SampleChoice.ofEvent(JdkEvent.LOCK_WAITS)));
    String why = e.whyWithoutSamples();
    assertTrue(why.startsWith("holds no waits for locks, but on queues and conditions"), why);
    assertTrue(why.contains("--event shows jdk.ThreadPark ("), why);
  }

  /** As any event with a stack trace: those whose amount is not known are counted. */
  @Test
  void otherEventsAreSamplesToo() throws Exception {
    assertSame(
        SampleChoice.ofEvent("jdk.JavaMonitorWait"),
        Set.of("jdk.JavaMonitorWait"),
        event -> event.getDuration().toNanos(),
        "monitorClass");
    assertSame(SampleChoice.ofEvent("jdk.ThreadStart"), Set.of("jdk.ThreadStart"), event -> 1, "");
  }

  /** Sums are those of the samples, in the same order each time. */
  @Test
  void sumsAreThoseOfSamples() throws Exception {
    SampledRecording recording =
        SampleText.open(recorded, SampleChoice.ofEvent(JdkEvent.ALLOCATIONS));
    long[] sums = new long[2];
    recording.forEachStackSum(
        (sum, series) -> {
          sums[0] += sum.count();
          sums[1] += sum.weightNanos();
        });
    assertEquals(recording.samples(), sums[0]);
    assertEquals(recording.weightNanos(), sums[1]);
    assertEquals(0, recording.unresolved());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "profiler.WallClockSample | holds no events profiler.WallClockSample with stack traces; .*",
        "jdk.NoSuchEvent          | .*--event shows .*jdk.ExecutionSample \\([\\d,]+\\).*",
        "page-faults              | holds no samples of Stackweave; .*",
      })
  void whatIsMissingIsSaid(String event, String why) {
    RecordingException e =
        assertThrows(
            RecordingException.class, () -> SampleText.open(recorded, SampleChoice.ofEvent(event)));
    assertTrue(e.isWithoutSamples());
    assertTrue(e.whyWithoutSamples().matches(why), e.getMessage());
  }

  /** Only who asks for them gets other samples than the agent's. */
  @Test
  void theAgentsSamplesAreTheDefault() {
    for (SampleChoice choice :
        List.of(SampleChoice.CPU, SampleChoice.WALL, SampleChoice.EVERYTHING)) {
      RecordingException e =
          assertThrows(RecordingException.class, () -> SampleText.open(recorded, choice));
      assertTrue(e.whyWithoutSamples().startsWith("holds no samples of Stackweave"));
    }
    RecordingException e =
        assertThrows(
            RecordingException.class, () -> SampleText.open(recorded, SampleChoice.WALL.orOfJdk()));
    assertTrue(e.getMessage().contains("none of async-profiler's of wall-clock time"));
  }

  /** Damage costs samples, and is said or leaves a recording that is one; nothing else happens. */
  @Test
  void damageIsSaid() throws Exception {
    byte[] whole = Files.readAllBytes(recorded);
    Path damaged = directory.resolve("damaged.jfr");
    Random random = new Random(1);
    int read = 0;
    for (int i = 0; i < 100; i++) {
      byte[] bytes = whole.clone();
      for (int changes = 1 + random.nextInt(8); changes > 0; changes--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      Files.write(damaged, bytes);
      SampleChoice choice =
          i % 2 == 0 ? CPU : SampleChoice.ofEvent(i % 4 == 1 ? "allocations" : "lock-waits");
      try {
        SampleText.ours(damaged, choice);
        read++;
      } catch (RecordingException e) {
        assertEquals(1, e.getMessage().lines().count());
      }
    }
    assertTrue(read > 0);
  }
}
