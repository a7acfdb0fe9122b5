package stackweave.jfr.read.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.Deflater;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import org.junit.jupiter.api.Test;
import stackweave.jfr.Programs;
import stackweave.jfr.event.BlockFormat;
import stackweave.jfr.event.DefinitionBlock;
import stackweave.testing.Jdk;

/** Pieces in any order, and pieces that no agent writes. */
class BlockPiecesTest {
  private static final int PIECE_BYTES = DefinitionBlock.PIECE_BYTES;
  private static final int MEBIBYTE = 1 << 20;

  private final BlockPieces pieces = new BlockPieces();
  private final LibraryIds read = new LibraryIds();

  /** A block, as far as {@link BlockPieces} needs it. */
  private record Block(long number, byte[] inflated, byte[] deflated) {
    int pieces() {
      return (deflated.length + PIECE_BYTES - 1) / PIECE_BYTES;
    }

    long[] words(int piece) {
      byte[] bytes = Arrays.copyOf(deflated, pieces() * PIECE_BYTES);
      long[] words = new long[DefinitionBlock.WORDS];
      ByteBuffer.wrap(bytes, piece * PIECE_BYTES, PIECE_BYTES)
          .order(ByteOrder.LITTLE_ENDIAN)
          .asLongBuffer()
          .get(words);
      return words;
    }
  }

  /** A block of one library whose path is of random characters. */
  private static Block block(int id, int pathLength) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(BlockFormat.FORMAT);
    number(out, BlockFormat.LIBRARY);
    number(out, id);
    number(out, 2L * pathLength);
    Random random = new Random(id);
    for (int i = 0; i < pathLength; i++) {
      out.write('!' + random.nextInt(90));
    }
    out.writeBytes(new byte[] {0, 0, 0, 0, 0, 0, 0});
    byte[] inflated = out.toByteArray();
    Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
    deflater.setInput(inflated);
    deflater.finish();
    byte[] deflated = new byte[2 * inflated.length + 100];
    int length = deflater.deflate(deflated);
    deflater.end();
    return new Block(id, inflated, Arrays.copyOf(deflated, length));
  }

  private static void number(ByteArrayOutputStream out, long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      out.write((int) (rest & 0x7F | 0x80));
      rest >>>= 7;
    }
    out.write((int) rest);
  }

  private void add(Block block, int piece) throws IOException {
    int size = block.inflated().length;
    pieces.add(block.number(), piece, block.pieces(), size, block.words(piece), read);
  }

  private void claim(long block, int count, int size) throws IOException {
    pieces.add(block, 0, count, size, new long[DefinitionBlock.WORDS], read);
  }

  @Test
  void blocksMayComePieceByPieceInAnyOrder() throws Exception {
    Block one = block(1, 2_000);
    Block two = block(2, 3_000);
    for (int piece = Math.max(one.pieces(), two.pieces()) - 1; piece >= 0; piece--) {
      for (Block block : List.of(one, two)) {
        if (piece < block.pieces()) {
          add(block, piece);
        }
      }
    }
    assertEquals(List.of(1L, 2L), read.ids());
  }

  @Test
  void moreOrLargerPiecesThanTheBlockNeedsAreDamage() throws Exception {
    assertThrows(IOException.class, () -> claim(1, 1 << 16, 32_768));
    assertThrows(IOException.class, () -> claim(2, 5, 600));
    assertThrows(IOException.class, () -> claim(3, 1, (32 << 20) + 1));
    assertThrows(IOException.class, () -> claim(4, 1, 0));
    assertThrows(IOException.class, () -> claim(5, Integer.MAX_VALUE, Integer.MAX_VALUE));
    claim(6, 60, 32_768);
    assertThrows(IOException.class, () -> claim(6, 61, 32_768));
    assertThrows(IOException.class, () -> claim(6, 60, 32_769));
  }

  @Test
  void anEventTakesItsOwnSizeAndNotWhatItClaims() throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    claim(1, 60, 32_768);
    long before = threads.getCurrentThreadAllocatedBytes();
    claim(2, 1 << 16, 32 << 20);
    long taken = threads.getCurrentThreadAllocatedBytes() - before;
    assertTrue(taken < MEBIBYTE, taken + " bytes");
  }

  /** As from a recording that lost the rest of each. */
  @Test
  void blocksThatAreNeverWholeTakeNoMoreAndMoreMemory() throws Exception {
    Block first = block(1, 20_000);
    add(first, 0);
    for (int block = 2; block < 1_000; block++) {
      claim(block, 1 << 16, 32 << 20);
    }
    // The oldest went.
    for (int piece = 1; piece < first.pieces(); piece++) {
      add(first, piece);
    }
    assertEquals(List.of(), read.ids());
    Block whole = block(1_000, 20_000);
    for (int piece = 0; piece < whole.pieces(); piece++) {
      add(whole, piece);
    }
    assertEquals(List.of(1_000L), read.ids());
  }

  /** The sampled program may read its own stream: a second type of our name would spoil it. */
  @Test
  void whoReadsRegistersNoEvent() throws Exception {
    Programs.Outcome outcome = Programs.java(Jdk.all().get(0), List.of(), Reads.class, List.of());
    assertEquals("[]\n", outcome.output());
  }

  /** A program that reads blocks. */
  static final class Reads {
    private Reads() {}

    public static void main(String[] arguments) throws Exception {
      Block block = block(1, 100);
      LibraryIds ids = new LibraryIds();
      new BlockPieces().add(1, 0, 1, block.inflated().length, block.words(0), ids);
      if (!ids.ids().equals(List.of(1L))) {
        throw new IllegalStateException(ids.ids().toString());
      }
      System.out.println(
          FlightRecorder.getFlightRecorder().getEventTypes().stream()
              .map(EventType::getName)
              .filter(name -> name.startsWith("stackweave."))
              .toList());
    }
  }
}
