package stackweave.fleet.ingest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;

class RecordingPiecesTest {
  @TempDir private Path directory;

  /** Several recordings one behind the other, each of one chunk. */
  private Path recording(String... names) throws Exception {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (String name : names) {
      try (InputStream in =
          new GZIPInputStream(
              RecordingPiecesTest.class.getResourceAsStream("/recordings/" + name + ".jfr.gz"))) {
        in.transferTo(all);
      }
    }
    return Files.write(directory.resolve("all.jfr"), all.toByteArray());
  }

  private static List<Path> pieces(Path file, long most) throws Exception {
    List<Path> pieces = new ArrayList<>();
    RecordingPieces all = new RecordingPieces(file, most);
    while (all.hasNext()) {
      pieces.add(all.next());
    }
    return pieces;
  }

  private static long samples(Path file) throws Exception {
    return SampledRecording.open(
            file, ReadingProgress.NONE, false, SampledFrame.Change.NONE, SampleChoice.EVERYTHING)
        .samples();
  }

  @Test
  void piecesAreRecordingsOfWholeChunks() throws Exception {
    Path all = recording("orders-17", "orders-25", "lab");
    List<Path> pieces = pieces(all, 1);
    assertEquals(3, pieces.size());
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    long samples = 0;
    for (Path piece : pieces) {
      joined.write(Files.readAllBytes(piece));
      samples += samples(piece);
      Files.delete(piece);
    }
    assertArrayEquals(Files.readAllBytes(all), joined.toByteArray());
    assertEquals(samples(all), samples);
  }

  @Test
  void asManyChunksAsThereIsRoomForAreOnePiece() throws Exception {
    Path all = recording("lab", "lab", "lab");
    long third = Files.size(all) / 3;
    List<Path> pieces = pieces(all, 2 * third);
    assertEquals(2, pieces.size());
    assertEquals(2 * third, Files.size(pieces.get(0)));
    for (Path piece : pieces) {
      Files.delete(piece);
    }
    assertEquals(List.of(all), pieces(all, 3 * third), "the recording itself");
  }

  @Test
  void whatIsBehindTheLastChunkIsOfTheLastPiece() throws Exception {
    Path all = recording("lab", "lab");
    byte[] bytes = Files.readAllBytes(all);
    Path longer = directory.resolve("longer.jfr");
    Files.write(longer, bytes);
    Files.writeString(longer, "more", StandardOpenOption.APPEND);
    List<Path> pieces = pieces(longer, 1);
    assertEquals(2, pieces.size());
    assertEquals(bytes.length / 2 + 4, Files.size(pieces.get(1)));
    assertEquals(1, new RecordingPieces(longer, 1).losses().size());
    for (Path piece : pieces) {
      Files.delete(piece);
    }
  }
}
