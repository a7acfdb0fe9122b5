package stackweave.jfr.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.jfr.chunk.ChunkBytes.Bytes;

/** Layouts that no JDK here writes, and damage: neither is read as something else, or for ever. */
class ChunkReaderTest {
  private static final int EVENT = 100;
  private static final List<EventShape> SHAPES =
      List.of(EventShape.of("test.Event", "startTime id name missing"));

  @TempDir private Path directory;

  private static ChunkBytes chunk() {
    return new ChunkBytes()
        .type(
            EVENT,
            "test.Event",
            "startTime",
            ChunkBytes.LONG,
            "",
            "id",
            ChunkBytes.INT,
            "",
            "name",
            ChunkBytes.STRING,
            "");
  }

  private static Bytes bytes() {
    return ChunkBytes.bytes();
  }

  /** Every event as a line. */
  private List<String> read(byte[] chunk) throws IOException {
    Path file = Files.write(directory.resolve("chunk.jfr"), chunk);
    ByteBuffer header = ByteBuffer.allocate(ChunkHeader.BYTES);
    header.put(chunk, 0, ChunkHeader.BYTES);
    List<String> lines = new ArrayList<>();
    try (ChunkSource source = new ChunkSource(file)) {
      ChunkReader reader = new ChunkReader(source, ChunkHeader.of(header, 0), SHAPES);
      while (reader.next() >= 0) {
        lines.add(
            reader.nanosAt(reader.number(0))
                + " "
                + reader.number(1)
                + " "
                + reader.text(2)
                + reader.text(3)
                + reader.number(3));
      }
    }
    return lines;
  }

  @Test
  void everyEncodingOfStrings() throws Exception {
    ChunkBytes chunk =
        chunk()
            .event(EVENT, bytes().numbers(500, 1).raw(0))
            .event(EVENT, bytes().numbers(502, 2).raw(1))
            .event(EVENT, bytes().numbers(504, 3).raw(2).numbers(7))
            .event(EVENT, bytes().numbers(504, 3).raw(2).numbers(8))
            .event(EVENT, bytes().numbers(504, 3).raw(2).numbers(9))
            .event(EVENT, bytes().numbers(506, 4).text("utf ü"))
            .event(EVENT, bytes().numbers(508, 5).raw(4).numbers(2, 'ü', '€'))
            .event(EVENT, bytes().numbers(508, 5).raw(4).numbers(2, 'a', 'b'))
            .event(EVENT, bytes().numbers(510, 0xFFFFFFFFL).raw(5, 2, 'l', 0xFC))
            .checkpoint(0, bytes().numbers(1, ChunkBytes.STRING, 1, 7).text("pooled"));
    chunk.checkpoint(
        chunk.toLastCheckpoint(), bytes().numbers(1, ChunkBytes.STRING, 1, 8).text("later"));
    assertEquals(
        List.of(
            "1000000000000 1 0",
            "1000000000001 2 0",
            "1000000000002 3 pooled0",
            "1000000000002 3 later0",
            "1000000000002 3 0",
            "1000000000003 4 utf ü0",
            "1000000000004 5 ü€0",
            "1000000000004 5 ab0",
            "1000000000005 -1 lü0"),
        read(chunk.build()));
  }

  /** The VM writes its symbols as they are: each half of a pair has three bytes, U+0000 two. */
  @Test
  void theVmsNamesAreInModifiedUtf8() throws Exception {
    ChunkBytes chunk =
        chunk()
            .event(
                EVENT,
                bytes().numbers(500, 1).raw(3).numbers(6).raw(0xed, 0xa0, 0xb5, 0xed, 0xb2, 0xb3))
            .event(EVENT, bytes().numbers(500, 2).raw(3).numbers(2).raw(0xc0, 0x80))
            .event(EVENT, bytes().numbers(500, 3).text("\ud835\udcb3"))
            .event(EVENT, bytes().numbers(500, 4).raw(3).numbers(2).raw('a', 0xff));
    assertEquals(
        List.of(
            "1000000000000 1 \ud835\udcb30",
            "1000000000000 2 \u00000",
            "1000000000000 3 \ud835\udcb30",
            "1000000000000 4 a\ufffd0"),
        read(chunk.build()));
  }

  /** Fields that are not wanted, of all sorts, before and between those that are. */
  @Test
  void otherFieldsArePassedOver() throws Exception {
    byte[] chunk =
        new ChunkBytes()
            .type(20, "double")
            .type(21, "float")
            .type(22, "boolean")
            .type(23, "test.Pair", "one", 20, "", "other", 24, "dimension")
            .type(24, "test.Inner", "flag", 22, "", "ratio", 21, "")
            .type(
                EVENT,
                "test.Event",
                "pair",
                23,
                "",
                "keys",
                ChunkBytes.STRING,
                "constantPool",
                "id",
                ChunkBytes.LONG,
                "",
                "pairs",
                23,
                "dimension",
                "name",
                ChunkBytes.STRING,
                "constantPool")
            .event(
                EVENT,
                bytes()
                    .raw(1, 2, 3, 4, 5, 6, 7, 8) // a double
                    .numbers(2)
                    .raw(1, 0, 0, 0, 0, 0, 9, 9, 9, 9)
                    .numbers(3)
                    .numbers(Long.MIN_VALUE)
                    .numbers(1)
                    .raw(0, 0, 0, 0, 0, 0, 0, 0)
                    .numbers(0)
                    .numbers(4))
            .event(99, bytes().raw(1, 2, 3))
            .checkpoint(
                0,
                bytes()
                    .numbers(2, 23, 1, 5)
                    .raw(0, 0, 0, 0, 0, 0, 0, 0, 0)
                    .numbers(ChunkBytes.STRING, 1, 4)
                    .text("by key"))
            .build();
    assertEquals(List.of("999999999750 " + Long.MIN_VALUE + " by key0"), read(chunk));
  }

  private record Damage(String says, byte[] chunk) {
    @Override
    public String toString() {
      return says;
    }
  }

  static Stream<Damage> damages() {
    Bytes event = bytes().numbers(500, 1).raw(0);
    return Stream.of(
        new Damage("numbers are not compressed", changed(chunk().build(), 67, 0)),
        new Damage("version 3", changed(chunk().build(), 5, 3)),
        new Damage("are no metadata", changed(chunk().build(), 31, 68)),
        new Damage("has 0 bytes", changed(chunk().event(EVENT, event).build(), 68, 0x80)),
        new Damage("bytes", changed(chunk().event(EVENT, event).build(), 70, 0xFF)),
        new Damage("ends behind", chunk().event(EVENT, bytes().numbers(500)).build()),
        new Damage("encoding 9", chunk().event(EVENT, bytes().numbers(1, 1).raw(9)).build()),
        new Damage(
            "1000 elements",
            chunk().event(EVENT, bytes().numbers(1, 1).raw(3).numbers(1000)).build()),
        new Damage(
            "-1 elements", chunk().event(EVENT, bytes().numbers(1, 1).raw(5).numbers(-1)).build()),
        new Damage("names none before", pooled(chunk().checkpoint(5, bytes().numbers(0)))),
        new Damage("names none before", pooled(chunk().checkpoint(-5_000, bytes().numbers(0)))),
        new Damage("lack type 77", pooled(chunk().checkpoint(0, bytes().numbers(1, 77, 1, 1, 1)))),
        new Damage(
            "do not say how",
            pooled(
                chunk()
                    .type(30, "test.Empty")
                    .checkpoint(0, bytes().numbers(1, 30, 1, 1).raw(0, 0)))),
        new Damage(
            "do not say how",
            new ChunkBytes()
                .type(EVENT, "test.Event", "self", EVENT, "", "other", EVENT, "")
                .event(EVENT, event)
                .build()),
        new Damage(
            "lack type 55",
            new ChunkBytes().type(EVENT, "test.Event", "id", 55, "").event(EVENT, event).build()));
  }

  private static byte[] pooled(ChunkBytes chunk) {
    return chunk.event(EVENT, bytes().numbers(500, 1).raw(2, 7)).build();
  }

  private static byte[] changed(byte[] chunk, int at, int value) {
    chunk[at] = (byte) value;
    return chunk;
  }

  @ParameterizedTest
  @MethodSource("damages")
  void damageIsSaid(Damage damage) {
    IOException e =
        assertThrows(
            IOException.class,
            () -> assertTimeoutPreemptively(Duration.ofMinutes(2), () -> read(damage.chunk())));
    assertTrue(e.getMessage().contains(damage.says()), e.getMessage());
  }

  /** Wherever a byte is changed, there is an exception of one sort, or none. */
  @Test
  void anyByteChanged() throws Exception {
    byte[] whole =
        chunk()
            .event(EVENT, bytes().numbers(500, 1).raw(2).numbers(7))
            .event(EVENT, bytes().numbers(506, 4).text("text"))
            .checkpoint(0, bytes().numbers(1, ChunkBytes.STRING, 1, 7).text("pooled"))
            .build();
    assertEquals(2, read(whole).size());
    int broken = 0;
    for (int at = ChunkHeader.BYTES; at < whole.length; at++) {
      for (int change : new int[] {0x01, 0x7f, 0x80, 0xff}) {
        byte[] damaged = whole.clone();
        damaged[at] ^= (byte) change;
        try {
          read(damaged);
        } catch (IOException e) {
          broken++;
        }
      }
    }
    assertTrue(broken > whole.length, "broken: " + broken);
  }
}
