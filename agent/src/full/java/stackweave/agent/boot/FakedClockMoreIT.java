package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.agent.apps.Works;
import stackweave.testing.Ended;
import stackweave.testing.Gcc;

/** A preloaded library fakes the clocks that libc reads, as libfaketime does for tests. */
@Order(5)
class FakedClockMoreIT extends CpuAccount {
  private static final String MONTH = "2592000";
  private static final Duration WORK = Duration.ofSeconds(1);
  private static final Duration SLACK = Duration.ofSeconds(2);
  private static final String OTHER_SPEED = "runs at another speed than the kernel's";

  private Path library;

  @BeforeEach
  void compile() throws Exception {
    library = Gcc.compile(directory, "faked_clock.c", "faked_clock.so", "-shared", "-fPIC");
  }

  @ParameterizedTest
  @CsvSource({"perf, 1", "timer, 1", "perf-thread, 1", "timer, 2"})
  void samplesHaveTheTimesOfJfrsOwnEvents(String engine, String rate) throws Exception {
    List<String> fake =
        List.of("env", "LD_PRELOAD=" + library, "FAKED_SECONDS=" + MONTH, "FAKED_RATE=" + rate);
    List<String> arguments =
        List.of(
            "-javaagent:" + Jars.AGENT + "=engine=" + engine,
            "-XX:StartFlightRecording:filename=rec.jfr,+stackweave.NativeSample#interval=2ms",
            "-cp",
            Jars.apps().toString(),
            Works.class.getName());
    String status;
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    try (LiveJvm live = LiveJvm.start(jvm, directory, fake, arguments, new ArrayList<>())) {
      live.awaitSamplesOf("busy", WORK);
      live.awaitStatus("note", text -> rate.equals("1") || text.contains(OTHER_SPEED));
      status = live.status();
      Ended ended = live.end();
      assertEquals(0, ended.exit(), ended.err());
    }
    assertTrue(status.contains("engine: " + engine), status);
    assertEquals(!rate.equals("1"), status.contains(OTHER_SPEED), status);
    assertTimes();
    Cpu cpu = Cpu.of(directory.resolve("rec.jfr"));
    assertTrue(cpu.covered() <= 1.3 * cpu.used(), cpu::toString);
    assertTrue(cpu.used() < 600_000_000_000L, cpu::toString);
  }

  private void assertTimes() throws Exception {
    Instant first = Instant.MAX;
    Instant last = Instant.MIN;
    List<Instant> samples = new ArrayList<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(directory.resolve("rec.jfr"))) {
      Instant time = event.getStartTime();
      switch (event.getEventType().getName()) {
        case "stackweave.NativeSample", "stackweave.StackSample" -> samples.add(time);
        case "jdk.CPULoad", "jdk.ThreadStart", "jdk.ActiveRecording" -> {
          first = time.isBefore(first) ? time : first;
          last = time.isAfter(last) ? time : last;
        }
        default -> {}
      }
    }
    assertTrue(samples.size() >= 10, "samples: " + samples.size());
    for (Instant time : samples) {
      assertTrue(
          time.isAfter(first.minus(SLACK)) && time.isBefore(last.plus(SLACK)),
          time + " is not within " + first + " and " + last);
    }
  }
}
