package stackweave.jfr.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import jdk.jfr.Recording;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.store.output.FileOutput;

/** What is written without a recording is what JFR would have written. */
class FileOutputTest {
  private static final int SAMPLES = 3_000;
  private static final Duration APART = Duration.ofMillis(500);

  /** What is different by itself. */
  private static final Set<String> OTHER =
      Set.of("startTime", "duration", "eventThread", "stackTrace", "uuid", "sampledThread", "jdk");

  @TempDir Path directory;

  private static EventStore store(Path file) throws Exception {
    return EventStore.toFile(
        new FileOutput(file, Set.of(SampleRecord.Kind.CPU)),
        SampledProcess.other((int) ProcessHandle.current().pid()),
        "a JVM",
        SyntheticStacks.SESSION);
  }

  @Test
  void theJdkReadsTheSameEventsAsFromARecording() throws Exception {
    Path recorded = directory.resolve("recorded.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      try (SampleWriter writer = new SampleWriter()) {
        writer.write(0, SAMPLES);
      }
      recording.dump(recorded);
    }
    Path file = directory.resolve("file.jfr");
    Instant begin = Instant.now();
    EventStore store = store(file);
    try (SampleWriter writer = new SampleWriter(store)) {
      writer.write(0, SAMPLES);
      store.flush();
      assertEquals(ours(recorded), ours(file), "while it is written");
    }
    assertEquals(ours(recorded), ours(file));
    for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
      Duration since = Duration.between(begin, event.getStartTime());
      assertTrue(!since.isNegative() && since.compareTo(APART.multipliedBy(20)) < 0, "" + since);
    }
  }

  @Test
  void theHottestMethodIsKnownAtEachFlush() throws Exception {
    EventStore store = store(directory.resolve("file.jfr"));
    assertEquals("", store.hottest());
    write(store, MethodDefinition.symbol(0, "deflate", 16), 3);
    assertEquals("", store.hottest());
    store.flush();
    assertEquals("100 % in deflate", store.hottest());
    write(store, MethodDefinition.java("app.Main", "work", "()V", 0, ""), 5);
    store.flush();
    assertEquals("62 % in app.Main.work", store.hottest());
    store.newGeneration();
    write(store, MethodDefinition.symbol(0, "inflate", 16), 1);
    store.flush();
    assertEquals("100 % in inflate", store.hottest());
    store.close();
  }

  private static void write(EventStore store, MethodDefinition method, int samples) {
    long thread = store.thread(1, "main", 1, false, 0, null);
    long root = store.node(EventStore.ROOT, store.method(MethodDefinition.stub("start")), 0, -1, 0);
    long node = store.node(root, store.method(method), 0, -1, 0);
    for (int i = 0; i < samples; i++) {
      store.write(
          new SampleRecord()
              .begin(SampleRecord.Kind.CPU, System.nanoTime(), 10_000_000)
              .stack(thread, node, 0, 0));
    }
  }

  /** A reader of one chunk needs no other. */
  @Test
  void aLongFileHasChunksThatStandAlone() throws Exception {
    Path file = directory.resolve("file.jfr");
    EventStore store = store(file);
    int first = 0;
    try (SampleWriter writer = new SampleWriter(store)) {
      for (; !store.flushRequested(); first += SAMPLES) {
        writer.write(first, SAMPLES);
      }
      store.flushDone();
      assertFalse(store.flushRequested());
      writer.write(first, SAMPLES);
    }
    byte[] bytes = Files.readAllBytes(file);
    int size = (int) ByteBuffer.wrap(bytes).getLong(8);
    assertTrue(size > 12 << 20 && size < 14 << 20, "size: " + size);
    Path alone = directory.resolve("alone.jfr");
    Files.write(alone, Arrays.copyOfRange(bytes, size, bytes.length));
    assertEquals(SAMPLES, samples(alone));
    assertEquals(first + SAMPLES, samples(file));
    assertTrue(ours(alone).toString().contains("stackweave.Session"));
    SampledRecording.open(alone);
  }

  private static long samples(Path file) throws IOException {
    long count = 0;
    try (RecordingFile recording = new RecordingFile(file)) {
      while (recording.hasMoreEvents()) {
        String name = recording.readEvent().getEventType().getName();
        count += name.equals("stackweave.StackSample") ? 1 : 0;
      }
    }
    return count;
  }

  /** All fields of all events of the agent's, as text. */
  private static List<String> ours(Path file) throws IOException {
    List<String> all = new ArrayList<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
      String name = event.getEventType().getName();
      if (!name.startsWith("stackweave.")) {
        continue;
      }
      StringBuilder text = new StringBuilder(name);
      for (ValueDescriptor field : event.getFields()) {
        if (!OTHER.contains(field.getName())) {
          Object value = event.getValue(field.getName());
          text.append(' ').append(field.getName()).append('=').append(value);
        }
      }
      all.add(text.toString());
    }
    all.sort(null);
    return all;
  }
}
