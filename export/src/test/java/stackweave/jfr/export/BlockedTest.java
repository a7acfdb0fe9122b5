package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.jfr.event.SampleRecord.Kind.BLOCKED;
import static stackweave.jfr.event.SampleRecord.Kind.CPU;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.export.report.ReportExport;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.SampledRecording.BlockedThread;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;
import stackweave.jfr.store.Unpooled;

/** Events of blocked threads: written by the store, read by the JDK, read and listed by ours. */
class BlockedTest {
  private static final long MILLI = 1_000_000;

  private static final SessionInfo SESSION =
      new SessionInfo(
          "test",
          "x86_64-linux-gnu",
          Unpooled.legend("0=native,4=C2,6=native method"),
          "0=complete",
          "0",
          ThreadState.legend());

  @TempDir private Path directory;
  private final long start = System.nanoTime() - 20_000 * MILLI;

  /** Five events of which one is shorter than the threshold, and one comes twice. */
  private Path record(boolean isAskedFor) throws Exception {
    Path file = directory.resolve("blocked-" + isAskedFor + ".jfr");
    try (Recording recording = new Recording()) {
      if (isAskedFor) {
        recording.enable(Blocked.NAME).withThreshold(Duration.ofMillis(10));
      }
      recording.start();
      try (EventStore store = EventStore.open(SESSION, StoreLimits.DEFAULT)) {
        write(store, isAskedFor);
      }
      recording.dump(file);
    }
    return file;
  }

  private void write(EventStore store, boolean isWritten) {
    long libc = ManyStacks.module(store, "/lib/libc.so.6", "aa");
    long job = java(store, EventStore.ROOT, "app.Job", "run", ManyStacks.C2);
    long put = java(store, job, "app.Store", "put", ManyStacks.C2);
    long read = java(store, job, "sun.nio.ch.Net", "poll", 6);
    long poll =
        store.node(
            read,
            store.method(MethodDefinition.symbol(libc, "__poll", 16)),
            ManyStacks.NATIVE,
            -1,
            0);
    long pool =
        java(
            store,
            EventStore.ROOT,
            "java.util.concurrent.ThreadPoolExecutor",
            "getTask",
            ManyStacks.C2);
    long worker = store.thread(1, "worker", 1, false, 0, null);
    long idle = store.thread(2, "idle", 2, false, 0, null);
    assertTrue(
        store.write(new SampleRecord().begin(CPU, start, 10 * MILLI).stack(worker, job, 0, 0)));
    int monitor = ThreadState.MONITOR.code();
    assertEquals(
        isWritten,
        store.write(block(at(1), 500 * MILLI, true).stack(worker, put, 0, 0).state(monitor)));
    assertEquals(
        isWritten,
        store.write(
            block(at(2), 700 * MILLI, true)
                .stack(worker, poll, 0, 0)
                .state(ThreadState.SOCKET.code())));
    store.write(block(at(3), 9 * MILLI, true).stack(worker, put, 0, 0).state(monitor));
    store.write(block(at(4), 2_000 * MILLI, false).stack(worker, put, 0, 0).state(monitor));
    store.write(block(at(4), 3_000 * MILLI, false).stack(worker, put, 0, 0).state(monitor));
    store.write(
        block(at(1), 8_000 * MILLI, true).stack(idle, pool, 0, 0).state(ThreadState.PARK.code()));
  }

  private static SampleRecord block(long start, long nanos, boolean isOver) {
    SampleRecord block = new SampleRecord().begin(BLOCKED, start, nanos);
    block.isOver = isOver;
    return block;
  }

  private long at(int second) {
    return start + second * 1_000 * MILLI;
  }

  private static long java(EventStore store, long caller, String type, String name, int kind) {
    return store.node(
        caller, store.method(MethodDefinition.java(type, name, "()V", 1, "")), kind, 1, 0);
  }

  @Test
  void timesAreThoseOfTheBlocksAndJfrKeepsItsThreshold() throws Exception {
    List<Long> millis = new ArrayList<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(record(true))) {
      if (event.getEventType().getName().equals(Blocked.NAME)) {
        // To 10 ms: how fast the two clocks go is measured over 2 ms.
        millis.add((event.getDuration().toNanos() + 5 * MILLI) / (10 * MILLI) * 10);
      }
    }
    assertEquals(List.of(500L, 700L, 2_000L, 3_000L, 8_000L), millis);
  }

  @Test
  void theReaderHasThemApartFromSamples() throws Exception {
    Path file = record(true);
    SampledRecording recording = SampledRecording.open(file);
    assertEquals(1, recording.samples());
    assertEquals(10 * MILLI, recording.weightNanos());
    assertEquals(5, recording.blockedThreads());
    assertEquals(1, WaitingWork.open(file, SampleChoice.of(false, List.of("running"))).samples());
    List<BlockedThread> blocks = new ArrayList<>();
    recording.forEachBlocked(blocks::add);
    BlockedThread socket = blocks.get(1);
    assertEquals("worker", socket.thread().text());
    assertEquals("socket", socket.state());
    assertTrue(socket.isOver());
    assertEquals(3, socket.frames().size());
    assertEquals(700 * MILLI, socket.nanos(), MILLI);
    long second = Duration.between(blocks.get(0).start(), socket.start()).toNanos();
    assertEquals(1_000 * MILLI, second, MILLI);
    assertFalse(blocks.get(2).isOver());
  }

  @Test
  void theReportListsTheLongestWithThePlace() throws Exception {
    SampledRecording recording = SampledRecording.open(record(true));
    String report = text(recording);
    assertTrue(report.contains("LONGEST BLOCKS"), report);
    // 500 ms, 700 ms, and once those 3 s that were not over after 2 s already.
    assertTrue(
        report
            .replaceAll("\\s+", " ")
            .contains(
                "3 times a thread was blocked inside work, 4.20 s in all; 1 time, 8.00 s in all,"
                    + " it was idle."),
        report);
    int longest = report.indexOf(">3.00 s  worker, monitor, at ");
    int next = report.indexOf("0.70 s  worker, socket, at ");
    int last = report.indexOf("0.50 s  worker, monitor, at ");
    assertTrue(0 < longest && longest < next && next < last, report);
    String rows = report.substring(next, last);
    assertTrue(rows.contains("app.Job.run\n"), rows);
    assertTrue(rows.contains("sun.nio.ch.Net.poll\n"), rows);
    assertTrue(rows.contains("__poll [libc.so.6]\n"), rows);
  }

  @Test
  void withoutBeingAskedForThereAreNone() throws Exception {
    SampledRecording recording = SampledRecording.open(record(false));
    assertEquals(0, recording.blockedThreads());
    assertFalse(text(recording).contains("LONGEST BLOCKS"));
  }

  private static String text(SampledRecording recording) throws Exception {
    return new String(
        ExportedStacks.bytes(new ReportExport("rec", "rec.jfr", false), recording),
        StandardCharsets.UTF_8);
  }
}
