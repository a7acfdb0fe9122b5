package stackweave.agent.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.jfr.event.SampleRecord.Kind.CPU;
import static stackweave.jfr.event.SampleRecord.Kind.EVENT;
import static stackweave.jfr.event.SampleRecord.Kind.MEMORY;
import static stackweave.jfr.event.SampleRecord.Kind.WALL;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.jfr.event.NativeMemory;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;

/** Which samples the commands that read choose, by the options that people give. */
class SelectedSamplesTest {
  private static final long SECOND = 1_000_000_000L;

  @TempDir static Path directory;
  private static Path recorded;
  private static volatile Object allocated;

  /** Methods a, b and c, ten seconds after each other, and what waits and takes memory. */
  @BeforeAll
  static void record() throws Exception {
    recorded = directory.resolve("rec.jfr");
    SessionInfo session =
        new SessionInfo("test", "test", "4=C2", "0=complete", "0", ThreadState.legend());
    try (Recording recording = new Recording()) {
      recording.enable(WallSample.NAME);
      recording.enable(NativeMemory.NAME);
      recording.enable("jdk.ObjectAllocationOutsideTLAB");
      recording.enable("jdk.ThreadPark").withThreshold(Duration.ofMillis(1));
      recording.start();
      allocate();
      LockSupport.parkNanos(directory, 5_000_000);
      try (EventStore store = EventStore.open(session, StoreLimits.DEFAULT)) {
        long thread = store.thread(11, "main", 1, false, 0, null);
        long begin = System.nanoTime() - 60 * SECOND;
        for (int i = 0; i < 3; i++) {
          long time = begin + i * 10 * SECOND;
          store.write(
              new SampleRecord()
                  .begin(CPU, time, 10_000_000)
                  .stack(thread, node(store, "abc".substring(i, i + 1)), 0, 0));
        }
        long late = begin + 20 * SECOND;
        for (ThreadState state : List.of(ThreadState.FILE, ThreadState.DEVICE)) {
          store.write(
              new SampleRecord()
                  .begin(WALL, late, SECOND)
                  .stack(thread, node(store, state.label()), 0, 0)
                  .state(state.code()));
        }
        store.write(
            new SampleRecord()
                .begin(MEMORY, late, 3L << 20)
                .stack(thread, node(store, "grow"), 0, 0)
                .at(4096));
        store.write(
            new SampleRecord()
                .begin(EVENT, late, 5)
                .stack(thread, node(store, "fault"), 0, 0)
                .of("page-faults"));
      }
      recording.dump(recorded);
    } finally {
      EventStore.unregisterEvents();
    }
  }

  /** More than a TLAB holds. */
  private static void allocate() {
    allocated = new long[16 << 20];
  }

  private static long node(EventStore store, String method) {
    long id = store.method(MethodDefinition.java("app.Main", method, "()V", 1, ""));
    return store.node(EventStore.ROOT, id, 4, -1, 0);
  }

  private static List<String> collapsed(String... options) throws Exception {
    Path out = directory.resolve("out.txt");
    List<String> command = new ArrayList<>(List.of("collapsed", recorded.toString(), "-o"));
    command.add(out.toString());
    command.addAll(List.of(options));
    assertEquals(0, Main.run(null, command.toArray(new String[0])));
    return Files.readAllLines(out).stream()
        .map(line -> line.replace("app.Main.", "").replaceAll(" \\d+$", ""))
        .toList();
  }

  @ParameterizedTest
  @CsvSource({
    "--cpu, a b c",
    "--from=5s, b c",
    "--from=15000, c",
    "--to=15s, a b",
    "--to=500ms, a",
    "--from=-15s, b c",
    "--to=-15s, a",
    "--include=.*b, b",
    "--exclude=.*b, a c",
    "--state=file, file",
    "--state=disk, file",
    "--state=device, device",
    "--event=page-faults, fault",
    "--native-memory, grow"
  })
  void theOnesThatAreAskedFor(String option, String methods) throws Exception {
    assertEquals(List.of(methods.split(" ")), collapsed(option));
  }

  @Test
  void aTimeOfTheDay() throws Exception {
    Instant between = SampledRecording.open(recorded).first().plusSeconds(5);
    assertEquals(List.of("b", "c"), collapsed("--from=" + between));
    assertEquals(List.of("a"), collapsed("--to=" + between));
  }

  @Test
  void bytesAreBytesAndEventsAreEvents() throws Exception {
    String bytes = report("--native-memory");
    assertTrue(bytes.contains("3.0 MiB"), bytes);
    String events = report("--event=page-faults");
    assertTrue(events.contains("page-faults") && !events.contains("iB"), events);
  }

  /** One tool for the whole file: JFR's own events beside the agent's samples. */
  @ParameterizedTest
  @CsvSource({
    "--alloc, SelectedSamplesTest.allocate;long[]",
    "--event=allocations, SelectedSamplesTest.allocate;long[]",
    "--event=jdk.ObjectAllocationOutsideTLAB, SelectedSamplesTest.allocate;long[]",
    "--lock, jdk.internal.misc.Unsafe.park;",
    "--event=jdk.ThreadPark, SelectedSamplesTest.record;"
  })
  void jfrsOwnEventsAreSamplesToo(String option, String stack) throws Exception {
    List<String> lines = collapsed(option);
    assertTrue(lines.stream().anyMatch(line -> line.contains(stack)), lines::toString);
    assertTrue(lines.stream().noneMatch(line -> line.matches("[abc]")), lines::toString);
  }

  private static String report(String option) throws Exception {
    Path out = directory.resolve("report.txt");
    assertEquals(0, Main.run(null, "report", recorded.toString(), "-o", out.toString(), option));
    return Files.readString(out);
  }
}
