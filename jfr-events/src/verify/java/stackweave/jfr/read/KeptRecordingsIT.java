package stackweave.jfr.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.jfr.event.Session;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.read.choice.SampleKind;

/**
 * Recordings of all versions of the schema are read as they were when they were kept: stacks as
 * programs without a class of ours have written them down, totals as the JDK's reader has them.
 */
class KeptRecordingsIT {
  @TempDir Path directory;

  /** A number of samples, and what they stand for. */
  private record Total(long samples, long weight) {
    Total plus(long more) {
      return new Total(samples + 1, weight + more);
    }
  }

  private static byte[] kept(String name) throws Exception {
    try (InputStream in = KeptRecordingsIT.class.getResourceAsStream("/schemas/" + name + ".gz")) {
      return new GZIPInputStream(in).readAllBytes();
    }
  }

  private Path recording(int schema) throws Exception {
    return Files.write(directory.resolve("rec.jfr"), kept("schema" + schema + ".jfr"));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void stacksAreThoseThatWereWrittenDown(int schema) throws Exception {
    SampledRecording recording = SampledRecording.open(recording(schema));
    assertEquals(schema, recording.sessions().get(0).schemaVersion());
    assertEquals(List.of(), recording.losses());
    Map<String, Long> nanos = new TreeMap<>();
    recording.forEachSample(
        sample -> {
          List<String> stack = new ArrayList<>();
          for (SampledFrame frame : sample.frames()) {
            String type = frame.method().className();
            stack.add((type.isEmpty() ? "" : type + ".") + frame.method().name());
          }
          nanos.merge(String.join(";", stack), sample.weightNanos(), Long::sum);
        });
    StringBuilder lines = new StringBuilder();
    nanos.forEach((stack, sum) -> lines.append(stack).append(' ').append(sum).append('\n'));
    String expected = new String(kept("schema" + schema + ".stacks"), StandardCharsets.UTF_8);
    assertTrue(expected.lines().count() >= 50);
    assertEquals(expected, lines.toString());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void totalsAreThoseOfTheJdksReader(int schema) throws Exception {
    Path file = recording(schema);
    Map<SampleKind, Total> expected = new EnumMap<>(SampleKind.class);
    long blocked = 0;
    for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
      SampleKind kind =
          switch (event.getEventType().getName()) {
            case "stackweave.StackSample", "stackweave.NativeSample" -> SampleKind.CPU;
            case "stackweave.WallSample" -> SampleKind.WAITING;
            case "stackweave.EventSample",
                "stackweave.NativeMemory",
                "stackweave.NativeAllocation" ->
                SampleKind.EVENT;
            default -> null;
          };
      if (kind != null) {
        long weight = event.getLong("weight");
        expected.merge(kind, new Total(1, weight), (total, one) -> total.plus(weight));
      }
      blocked += event.getEventType().getName().equals("stackweave.Blocked") ? 1 : 0;
    }
    SampledRecording recording =
        SampledRecording.open(
            file, ReadingProgress.NONE, false, SampledFrame.Change.NONE, SampleChoice.EVERYTHING);
    Map<SampleKind, Total> read = new EnumMap<>(SampleKind.class);
    recording.forEachSample(
        sample ->
            read.merge(
                sample.kind(),
                new Total(1, sample.weightNanos()),
                (total, one) -> total.plus(sample.weightNanos())));
    assertEquals(expected, read);
    assertEquals(blocked, recording.blockedThreads());
    assertEquals(schema == 1 ? 1 : 3, read.size(), "kinds of samples");
  }

  /** Who makes a new version keeps a recording of it, too. */
  @Test
  void eachVersionIsKept() {
    for (int schema = 1; schema <= Session.SCHEMA_VERSION; schema++) {
      assertTrue(getClass().getResource("/schemas/schema" + schema + ".jfr.gz") != null);
    }
  }
}
