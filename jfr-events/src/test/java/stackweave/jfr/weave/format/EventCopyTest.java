package stackweave.jfr.weave.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.chunk.ChunkHeader;

/** Times by another clock, as the JDK reads them. */
class EventCopyTest {
  private static final int EVENTS = 500;
  private static final long STEP_NANOS = 7_000_000;
  private static final long STATED = 2_400_000_000L;

  /** Of a processor whose name says a little more than it does. */
  private static final double TRUE_RATE = 2.3946;

  @TempDir Path directory;

  /** An event. */
  @Name("stackweave.test.Copied")
  public static final class Copied extends Event {
    /** Its number. */
    public long number;
  }

  /** A chunk of a JVM that began at a time, and whose clock is right then. */
  private static ChunkHeader chunk(long nanos, long ticks) {
    ByteBuffer header = ByteBuffer.allocate(ChunkHeader.BYTES);
    header.putInt(ChunkHeader.MAGIC).putLong(32, nanos).putLong(48, ticks).putLong(56, STATED);
    return ChunkHeader.of(header.position(ChunkHeader.BYTES), 0);
  }

  @Test
  void eventsHaveTheirTimesByTheClockOfAnotherJvm() throws Exception {
    Path file = directory.resolve("file.jfr");
    long nanos = System.nanoTime();
    long began = Instant.now().toEpochMilli() * 1_000_000;
    try (EventFile events = EventFile.create(file, List.of(Copied.class))) {
      for (int i = 0; i < EVENTS; i++) {
        Copied event = new Copied();
        event.number = i;
        if (i == EVENTS / 2) {
          events.nextChunk();
        }
        events.write(event, nanos + i * STEP_NANOS, i % 2 == 0 ? 0 : STEP_NANOS * i);
      }
    }
    long before = 1_000_000_000L;
    ChunkHeader first = chunk(began - before, 5_000_000);
    long later = 10_000_000_000L;
    ChunkHeader second =
        chunk(first.startNanos() + later, first.startTicks() + (long) (later * TRUE_RATE));
    Path copy = directory.resolve("copy.jfr");
    try (OutputStream out = Files.newOutputStream(copy)) {
      EventCopy.copy(file, new JvmClock(List.of(second, first)), out);
    }
    List<RecordedEvent> original = RecordingFile.readAllEvents(file);
    List<RecordedEvent> copied = RecordingFile.readAllEvents(copy);
    assertEquals(EVENTS, copied.size());
    for (int i = 0; i < EVENTS; i++) {
      assertEquals(original.get(i).getLong("number"), copied.get(i).getLong("number"));
      // What the JVM's events of that moment say, whose clock runs behind.
      Instant moment = original.get(i).getStartTime();
      long sinceFirst = Duration.between(instant(first.startNanos()), moment).toNanos();
      long said =
          first.nanosAt(first.startTicks() + Math.round(sinceFirst * TRUE_RATE))
              - first.startNanos();
      Instant expected = instant(first.startNanos() + said);
      assertNear(expected, copied.get(i).getStartTime());
      double length = original.get(i).getDuration().toNanos() * TRUE_RATE / (STATED / 1e9);
      assertEquals(length, copied.get(i).getDuration().toNanos(), 1_000);
    }
  }

  /** The system's clock, which JFR reads where the processor's is not to be relied on. */
  @Test
  void theSystemsClockChangesNoTime() throws Exception {
    Path file = directory.resolve("file.jfr");
    try (EventFile events = EventFile.create(file, List.of(Copied.class))) {
      events.write(new Copied(), System.nanoTime(), 1);
    }
    ByteBuffer header = ByteBuffer.allocate(ChunkHeader.BYTES);
    long began = Instant.now().toEpochMilli() * 1_000_000 - 3_000_000_000L;
    header.putInt(ChunkHeader.MAGIC).putLong(32, began).putLong(48, 12).putLong(56, 1_000_000_000);
    ChunkHeader chunk = ChunkHeader.of(header.position(ChunkHeader.BYTES), 0);
    ByteArrayOutputStream copy = new ByteArrayOutputStream();
    EventCopy.copy(file, new JvmClock(List.of(chunk)), copy);
    Path copied = Files.write(directory.resolve("copy.jfr"), copy.toByteArray());
    List<Instant> times = new ArrayList<>();
    for (Path each : List.of(file, copied)) {
      times.add(RecordingFile.readAllEvents(each).get(0).getStartTime());
    }
    assertNear(times.get(0), times.get(1));
  }

  private static Instant instant(long nanos) {
    return Instant.ofEpochSecond(0, nanos);
  }

  private static void assertNear(Instant expected, Instant actual) {
    long apart = Duration.between(expected, actual).abs().toNanos();
    assertTrue(apart < 2_000, expected + " and " + actual);
  }
}
