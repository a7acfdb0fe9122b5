package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.UnknownFieldSet;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Our writer of protocol buffers against the library's. */
class ProtobufTest {
  private static final long[] EDGES = {
    1,
    0x7f,
    0x80,
    0x3fff,
    0x4000,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    -1,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  @Test
  void writesWhatTheLibraryWrites() throws Exception {
    Random random = new Random(5);
    for (int run = 0; run < 300; run++) {
      Protobuf ours = new Protobuf();
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      CodedOutputStream theirs = CodedOutputStream.newInstance(bytes);
      for (int field = 1; field < 40; field++) {
        long number =
            random.nextBoolean()
                ? EDGES[random.nextInt(EDGES.length)]
                : random.nextLong() >>> random.nextInt(64);
        if (number == 0) {
          continue;
        }
        int tag = field * (1 + random.nextInt(1_000));
        switch (random.nextInt(4)) {
          case 0 -> {
            ours.number(tag, number);
            theirs.writeInt64(tag, number);
          }
          case 1 -> {
            ours.fixed64(tag, number);
            theirs.writeFixed64(tag, number);
          }
          case 2 -> {
            String text = "é€𝄞\0".repeat(random.nextInt(90));
            ours.string(tag, text);
            theirs.writeString(tag, text);
          }
          default -> {
            Protobuf inner = new Protobuf().packed(3, List.of(number, 0L, 7));
            ours.message(tag, inner);
            theirs.writeByteArray(tag, inner.toByteArray());
          }
        }
      }
      theirs.flush();
      assertArrayEquals(bytes.toByteArray(), ours.toByteArray());
      assertEquals(bytes.size(), ours.size());
    }
  }

  @Test
  void packsNumbers() throws Exception {
    UnknownFieldSet fields =
        UnknownFieldSet.parseFrom(
            new Protobuf().packed(2, List.of(0L, -1L, 300)).packed(3, List.of()).toByteArray());
    ByteString packed = fields.getField(2).getLengthDelimitedList().get(0);
    assertEquals(List.of(0L, -1L, 300L), numbers(packed));
    assertEquals(1, fields.asMap().size());
  }

  private static List<Long> numbers(ByteString packed) throws Exception {
    CodedInputStream in = packed.newCodedInput();
    return List.of(in.readInt64(), in.readInt64(), in.readInt64());
  }

  /** proto3 leaves defaults out, but not out of repeated fields. */
  @Test
  void leavesOutDefaults() {
    assertEquals(0, new Protobuf().number(1, 0).fixed64(2, 0).size());
    assertEquals(
        6, new Protobuf().string(1, "").bytes(2, new byte[0]).message(3, new Protobuf()).size());
  }

  @Test
  void replacesHalvesOfSurrogatePairs() throws Exception {
    UnknownFieldSet fields =
        UnknownFieldSet.parseFrom(
            new Protobuf().string(1, "a\ud800b\udc00\ud834\udd1e").toByteArray());
    ByteString text = fields.getField(1).getLengthDelimitedList().get(0);
    assertEquals("a\ufffdb\ufffd𝄞", text.toStringUtf8());
    assertEquals(true, text.isValidUtf8());
  }
}
