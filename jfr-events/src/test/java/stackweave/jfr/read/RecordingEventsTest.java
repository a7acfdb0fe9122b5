package stackweave.jfr.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.chunk.ChunkBytes;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.Session;
import stackweave.jfr.read.block.FirstSchema;

/** Recordings of one chunk that is damaged. */
class RecordingEventsTest {
  private static final int SESSION = 100;
  private static final int SAMPLE = 101;
  private static final int METHOD = 102;

  @TempDir private Path directory;

  @Test
  void whatStandsBeforeTheDamageIsRead() throws Exception {
    SampledRecording recording = SampledRecording.open(damagedBehind(3));
    assertEquals(3, recording.samples());
    assertTrue(
        recording.losses().get(0).startsWith("chunk 1 can't be read"),
        recording.losses().toString());
    long[] samples = new long[1];
    recording.forEachSample(sample -> samples[0]++);
    assertEquals(3, samples[0]);
  }

  @Test
  void withoutASampleBeforeTheDamageThereIsNothingToRead() throws Exception {
    Path file = damagedBehind(0);
    RecordingException e =
        assertThrows(RecordingException.class, () -> SampledRecording.open(file));
    assertTrue(e.getMessage().startsWith(file + ": can't be read: "), e.getMessage());
  }

  private Path damagedBehind(int samples) throws Exception {
    ChunkBytes chunk =
        new ChunkBytes()
            .type(SESSION, Session.NAME, "uuid", ChunkBytes.STRING, "")
            .type(SAMPLE, NativeSample.NAME, "stackId", ChunkBytes.LONG, "")
            .type(METHOD, FirstSchema.METHOD, "name", ChunkBytes.STRING, "")
            .event(SESSION, ChunkBytes.bytes().text("one"));
    for (int i = 0; i < samples; i++) {
      chunk.event(SAMPLE, ChunkBytes.bytes().numbers(1));
    }
    byte[] bytes =
        chunk
            // A text that is longer than its event.
            .event(METHOD, ChunkBytes.bytes().raw(3).numbers(1 << 30))
            .event(SAMPLE, ChunkBytes.bytes().numbers(1))
            .build();
    return Files.write(directory.resolve("damaged.jfr"), bytes);
  }
}
