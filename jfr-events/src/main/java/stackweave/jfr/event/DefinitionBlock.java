package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * A piece of a block of definitions of frames, methods, libraries, threads and attributes,
 * deflated; {@link BlockFormat} has the layout, docs/definitions.md describes it byte by byte.
 *
 * <p>Numbers and not a text: JDK 25 keeps texts of 128 characters and more in a pool on the heap,
 * up to 16 MB of them, and for good. JFR writes a number of 64 bits as nine bytes at most.
 */
@Name(DefinitionBlock.NAME)
@Label("Definitions")
@Category("Stackweave")
@Description("What samples name: frames, methods, libraries, threads, attributes; deflated")
@StackTrace(false)
public final class DefinitionBlock extends Event {
  public static final String NAME = "stackweave.Definitions";

  /** The fields from w00 on. */
  public static final int WORDS = 64;

  /** As many of the deflated bytes are in one event. */
  public static final int PIECE_BYTES = 8 * WORDS;

  @Label("Block")
  @Description("The number of the block that this is a piece of, unique in the session")
  public long block;

  @Label("Piece")
  @Description("Which piece of the block, from 0")
  public int piece;

  @Label("Pieces")
  @Description("How many pieces the block has")
  public int pieces;

  @Label("Size")
  @Description("Bytes of the block when it is inflated")
  @DataAmount
  public int size;

  @Label("Words")
  @Description("Eight bytes each of the deflated block, the first the lowest; w01 to w63 go on")
  public long w00;

  public long w01;
  public long w02;
  public long w03;
  public long w04;
  public long w05;
  public long w06;
  public long w07;
  public long w08;
  public long w09;
  public long w10;
  public long w11;
  public long w12;
  public long w13;
  public long w14;
  public long w15;
  public long w16;
  public long w17;
  public long w18;
  public long w19;
  public long w20;
  public long w21;
  public long w22;
  public long w23;
  public long w24;
  public long w25;
  public long w26;
  public long w27;
  public long w28;
  public long w29;
  public long w30;
  public long w31;
  public long w32;
  public long w33;
  public long w34;
  public long w35;
  public long w36;
  public long w37;
  public long w38;
  public long w39;
  public long w40;
  public long w41;
  public long w42;
  public long w43;
  public long w44;
  public long w45;
  public long w46;
  public long w47;
  public long w48;
  public long w49;
  public long w50;
  public long w51;
  public long w52;
  public long w53;
  public long w54;
  public long w55;
  public long w56;
  public long w57;
  public long w58;
  public long w59;
  public long w60;
  public long w61;
  public long w62;
  public long w63;

  /**
   * Puts bytes into the words, the first byte of eight the lowest.
   *
   * @param to behind the last byte; words of those that are not there are 0
   */
  public void fill(byte[] bytes, int from, int to) {
    w00 = word(bytes, from, to);
    w01 = word(bytes, from + 8, to);
    w02 = word(bytes, from + 16, to);
    w03 = word(bytes, from + 24, to);
    w04 = word(bytes, from + 32, to);
    w05 = word(bytes, from + 40, to);
    w06 = word(bytes, from + 48, to);
    w07 = word(bytes, from + 56, to);
    w08 = word(bytes, from + 64, to);
    w09 = word(bytes, from + 72, to);
    w10 = word(bytes, from + 80, to);
    w11 = word(bytes, from + 88, to);
    w12 = word(bytes, from + 96, to);
    w13 = word(bytes, from + 104, to);
    w14 = word(bytes, from + 112, to);
    w15 = word(bytes, from + 120, to);
    w16 = word(bytes, from + 128, to);
    w17 = word(bytes, from + 136, to);
    w18 = word(bytes, from + 144, to);
    w19 = word(bytes, from + 152, to);
    w20 = word(bytes, from + 160, to);
    w21 = word(bytes, from + 168, to);
    w22 = word(bytes, from + 176, to);
    w23 = word(bytes, from + 184, to);
    w24 = word(bytes, from + 192, to);
    w25 = word(bytes, from + 200, to);
    w26 = word(bytes, from + 208, to);
    w27 = word(bytes, from + 216, to);
    w28 = word(bytes, from + 224, to);
    w29 = word(bytes, from + 232, to);
    w30 = word(bytes, from + 240, to);
    w31 = word(bytes, from + 248, to);
    w32 = word(bytes, from + 256, to);
    w33 = word(bytes, from + 264, to);
    w34 = word(bytes, from + 272, to);
    w35 = word(bytes, from + 280, to);
    w36 = word(bytes, from + 288, to);
    w37 = word(bytes, from + 296, to);
    w38 = word(bytes, from + 304, to);
    w39 = word(bytes, from + 312, to);
    w40 = word(bytes, from + 320, to);
    w41 = word(bytes, from + 328, to);
    w42 = word(bytes, from + 336, to);
    w43 = word(bytes, from + 344, to);
    w44 = word(bytes, from + 352, to);
    w45 = word(bytes, from + 360, to);
    w46 = word(bytes, from + 368, to);
    w47 = word(bytes, from + 376, to);
    w48 = word(bytes, from + 384, to);
    w49 = word(bytes, from + 392, to);
    w50 = word(bytes, from + 400, to);
    w51 = word(bytes, from + 408, to);
    w52 = word(bytes, from + 416, to);
    w53 = word(bytes, from + 424, to);
    w54 = word(bytes, from + 432, to);
    w55 = word(bytes, from + 440, to);
    w56 = word(bytes, from + 448, to);
    w57 = word(bytes, from + 456, to);
    w58 = word(bytes, from + 464, to);
    w59 = word(bytes, from + 472, to);
    w60 = word(bytes, from + 480, to);
    w61 = word(bytes, from + 488, to);
    w62 = word(bytes, from + 496, to);
    w63 = word(bytes, from + 504, to);
  }

  private static long word(byte[] bytes, int from, int to) {
    long word = 0;
    for (int i = Math.min(from + 8, to) - 1; i >= from; i--) {
      word = word << 8 | bytes[i] & 0xFF;
    }
    return word;
  }
}
