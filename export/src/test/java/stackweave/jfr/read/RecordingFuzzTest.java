package stackweave.jfr.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.chunk.ChunkBytes;
import stackweave.jfr.chunk.EventShape;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.read.block.FirstSchema;

/** Recordings with bytes changed at random: none makes more than a RecordingException. */
class RecordingFuzzTest {
  private static final int FIRST_EVENT = 100;
  private static final int POOLED = 7;

  /** Of an event: a status has many, all alike. */
  private static final int MAX_FIELDS = 11;

  /** A chunk with an event of each type of ours, small enough that each byte of it is changed. */
  private static byte[] chunk(String session) {
    ChunkBytes chunk = new ChunkBytes();
    List<EventShape> shapes = EventDecoder.ALL;
    for (int i = 0; i < shapes.size(); i++) {
      List<Object> fields = new ArrayList<>();
      for (String field : fields(shapes.get(i))) {
        fields.addAll(List.of(field, isText(i, field) ? ChunkBytes.STRING : ChunkBytes.LONG, ""));
      }
      chunk.type(FIRST_EVENT + i, shapes.get(i).name(), fields.toArray());
    }
    for (int i = shapes.size() - 1; i >= 0; i--) {
      ChunkBytes.Bytes values = ChunkBytes.bytes();
      for (String field : fields(shapes.get(i))) {
        if (field.equals("uuid")) {
          values.text(session);
        } else if (field.equals("parentId")) {
          values.numbers(0);
        } else if (isText(i, field)) {
          values.raw(2).numbers(POOLED);
        } else {
          values.numbers(1);
        }
      }
      chunk.event(FIRST_EVENT + i, values);
    }
    return chunk
        .checkpoint(0, ChunkBytes.bytes().numbers(1, ChunkBytes.STRING, 1, POOLED).text("0=a,1=b"))
        .build();
  }

  private static List<String> fields(EventShape shape) {
    return shape.fields().subList(0, Math.min(MAX_FIELDS, shape.fields().size()));
  }

  private static boolean isText(int shape, String field) {
    boolean ofStatus = shape == EventDecoder.STATUS;
    return List.of("name", "className", "descriptor", "sourceFile", "path", "buildId")
            .contains(field)
        || List.of("unwindSource", "unwindReason", "symbolsFrom", "uuid", "jdk").contains(field)
        || List.of("abi", "agentVersion", "kindLegend", "endLegend", "stateLegend").contains(field)
        || List.of("completeEnds", "engine", "engineReason", "note").contains(field)
        || ofStatus && List.of("ends", "splices", "links", "resets").contains(field);
  }

  /** Once found: a later reading, which skips definitions, came to a sample that has no session. */
  @Test
  void aSampleBehindABrokenDefinitionIsNotRead(@TempDir Path directory) throws Exception {
    byte[] good = chunk("one");
    byte[] broken =
        new ChunkBytes()
            .type(FIRST_EVENT, NativeSample.NAME, "stackId", ChunkBytes.LONG, "")
            .type(FIRST_EVENT + 1, FirstSchema.METHOD, "name", ChunkBytes.STRING, "")
            .event(FIRST_EVENT + 1, ChunkBytes.bytes().raw(3).numbers(1 << 30))
            .event(FIRST_EVENT, ChunkBytes.bytes().numbers(1))
            .checkpoint(0, ChunkBytes.bytes().numbers(0))
            .build();
    Path file = directory.resolve("broken.jfr");
    Files.write(file, good);
    Files.write(file, broken, StandardOpenOption.APPEND);
    SampledRecording recording = SampledRecording.open(file);
    assertEquals(2, recording.samples());
    assertTrue(recording.losses().toString().contains("chunk 2 can't be read"));
    long[] samples = new long[1];
    recording.forEachSample(sample -> samples[0]++);
    assertEquals(2, samples[0]);
  }

  @Test
  void recordings(@TempDir Path seeds) throws Exception {
    makeSeeds(seeds);
    Random random = new Random(1);
    byte[] seed = Files.readAllBytes(seeds.resolve("both"));
    for (int i = 0; i < 100; i++) {
      byte[] bytes = seed.clone();
      for (int changes = random.nextInt(3); changes >= 0; changes--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      RecordingFuzz.fuzzerTestOneInput(bytes);
    }
  }

  /** Writes what {@link RecordingFuzz} begins with. */
  static void makeSeeds(Path seeds) throws Exception {
    byte[] one = chunk("one");
    byte[] other = chunk("other");
    byte[] both = new byte[one.length + other.length];
    System.arraycopy(one, 0, both, 0, one.length);
    System.arraycopy(other, 0, both, one.length, other.length);
    Files.write(seeds.resolve("one"), one);
    SampledRecording recording = SampledRecording.open(Files.write(seeds.resolve("both"), both));
    // One of each schema in each chunk; those of schema 2 lack the definition of their attributes.
    assertEquals(4, recording.samples());
    assertEquals(2, recording.unresolved());
    assertEquals(2, recording.sessions().size());
  }
}
