package stackweave.jfr.weave;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.read.ReadingProgress;

/** A merged recording is as long as what was merged, for tools add up its chunks. */
class MergedDurationTest {
  private static final int DURATION = 40;
  private static final long NANOS = 5_000_000_000L;

  @Test
  void wovenSamplesAloneLastAsLongAsTheirChunk(@TempDir Path directory) throws Exception {
    assertEquals(NANOS, duration(directory, new MergeOptions(true, false, false, false)));
  }

  @Test
  void wovenSamplesBesideTheirChunkAddNoTime(@TempDir Path directory) throws Exception {
    assertEquals(NANOS + 1, duration(directory, MergeOptions.DEFAULT));
  }

  private static long duration(Path directory, MergeOptions options) throws Exception {
    MergeFuzzTest.makeSeeds(directory);
    byte[] chunk = Files.readAllBytes(directory.resolve("one"));
    ByteBuffer.wrap(chunk).putLong(DURATION, NANOS);
    Path file = Files.write(directory.resolve("lasting"), chunk);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    RecordingMerge.of(List.of(file), options, ReadingProgress.NONE).writeTo(out);
    ByteBuffer merged = ByteBuffer.wrap(out.toByteArray());
    long duration = 0;
    for (int at = 0; at < merged.limit(); ) {
      ChunkHeader header = ChunkHeader.of(merged.slice(at, merged.limit() - at), at);
      duration += header.durationNanos();
      at = (int) header.end();
    }
    return duration;
  }
}
