package stackweave.jfr.weave;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import jdk.jfr.EventType;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.ItemFilters;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.read.ChunkList;
import stackweave.jfr.read.Chunks;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.SampleWriter;
import stackweave.jfr.store.SyntheticStacks;
import stackweave.jfr.store.output.FileOutput;
import stackweave.jfr.weave.format.EventCopy;
import stackweave.jfr.weave.format.JvmClock;

/**
 * Samples that another process wrote. The command {@code jfr view} knows the types of a file's
 * first chunk alone.
 */
class MergedOutsideTest {
  private static final int SAMPLES = 300;
  private static final String SAMPLE = "jdk.ExecutionSample";
  private static final String NATIVE = "jdk.NativeMethodSample";
  private static final long NANOS = 1_000_000_000L;

  @TempDir Path directory;

  /** Sampling begins before JFR does. */
  @Test
  void besideEventsOfJfrTheseComeFirst() throws Exception {
    Path samples = directory.resolve("samples.jfr");
    Path events = directory.resolve("events.jfr");
    try (SampleWriter writer = new SampleWriter(store(samples));
        Recording recording = new Recording()) {
      recording.enable("jdk.JVMInformation");
      recording.start();
      writer.write(0, SAMPLES);
      recording.dump(events);
    }
    Path recorded = directory.resolve("recorded.jfr");
    try (OutputStream out = Files.newOutputStream(recorded)) {
      Files.copy(events, out);
      EventCopy.copy(samples, new JvmClock(ChunkList.scan(events).chunks()), out);
    }
    assertEquals(seconds(events), seconds(recorded), 1e-6);
    Path merged = merged(recorded, MergeOptions.DEFAULT);
    assertTrue(typesOfFirst(merged).containsAll(Set.of(SAMPLE, NATIVE, "jdk.GarbageCollection")));
    assertEquals(3, ChunkList.scan(merged).chunks().size());
    assertEquals(seconds(events), seconds(merged), 1e-6);
    assertRead(merged);
    Path only = merged(recorded, new MergeOptions(true, false, false, false));
    assertTrue(typesOfFirst(only).contains(SAMPLE));
    assertTrue(seconds(only) > 1e-4, "it lasts as long as its samples");
  }

  @Test
  void ofSamplesAloneTheWovenOnesComeFirst() throws Exception {
    Path samples = directory.resolve("samples.jfr");
    try (SampleWriter writer = new SampleWriter(store(samples))) {
      writer.write(0, SAMPLES);
    }
    assertFalse(typesOfFirst(samples).contains(SAMPLE));
    Path merged = merged(samples, MergeOptions.DEFAULT);
    assertTrue(typesOfFirst(merged).containsAll(Set.of(SAMPLE, NATIVE)));
    assertEquals(seconds(samples), seconds(merged), 1e-6);
    assertRead(merged);
  }

  private void assertRead(Path merged) throws Exception {
    List<Long> counts = new ArrayList<>(List.of(0L, 0L));
    for (RecordedEvent event : RecordingFile.readAllEvents(merged)) {
      switch (event.getEventType().getName()) {
        case SAMPLE -> counts.set(0, counts.get(0) + 1);
        case "stackweave.StackSample" -> counts.set(1, counts.get(1) + 1);
        default -> {}
      }
    }
    assertEquals(List.of((long) SAMPLES, (long) SAMPLES), counts);
    long ofMissionControl =
        JfrLoaderToolkit.loadEvents(merged.toFile()).apply(ItemFilters.type(SAMPLE)).stream()
            .mapToLong(IItemIterable::getItemCount)
            .sum();
    assertEquals(SAMPLES, ofMissionControl);
    Path again = merged(merged, MergeOptions.DEFAULT);
    assertArrayEquals(Files.readAllBytes(merged), Files.readAllBytes(again), "merged again");
  }

  private static EventStore store(Path file) throws Exception {
    return EventStore.toFile(
        new FileOutput(file, Set.of(SampleRecord.Kind.CPU)),
        SampledProcess.other((int) ProcessHandle.current().pid()),
        "",
        SyntheticStacks.SESSION);
  }

  private Path merged(Path recording, MergeOptions options) throws Exception {
    Path file = Files.createTempFile(directory, "merged", ".jfr");
    try (OutputStream out = Files.newOutputStream(file)) {
      RecordingMerge.of(List.of(recording), options, ReadingProgress.NONE).writeTo(out);
    }
    return file;
  }

  private static Set<String> typesOfFirst(Path recording) throws Exception {
    Set<String> names = new TreeSet<>();
    Path first = Chunks.extract(recording, ChunkList.scan(recording).chunks().get(0));
    try (RecordingFile file = new RecordingFile(first)) {
      file.readEventTypes().stream().map(EventType::getName).forEach(names::add);
    }
    return names;
  }

  /** As {@code jfr summary} counts. */
  private static double seconds(Path recording) throws Exception {
    return ChunkList.scan(recording).chunks().stream().mapToLong(ChunkHeader::durationNanos).sum()
        / (double) NANOS;
  }
}
