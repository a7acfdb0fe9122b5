package stackweave.jfr.event;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * A piece of a block of definitions of frames, methods, libraries, threads and attributes,
 * deflated; {@link BlockFormat} has the layout, docs/events.md describes it byte by byte.
 *
 * <p>The bytes are in numbers and not in a text, because JDK 25 keeps texts of 128 characters and
 * more in a pool on the heap forever, up to 16 MB. JFR writes a number of 64 bits as nine bytes at
 * most.
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

  /** The number of deflated bytes in one event. */
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

  /** The fields of the words. */
  private static final VarHandle[] FIELDS = fields();

  private static VarHandle[] fields() {
    VarHandle[] fields = new VarHandle[WORDS];
    try {
      for (int i = 0; i < WORDS; i++) {
        fields[i] =
            MethodHandles.lookup()
                .findVarHandle(DefinitionBlock.class, BlockFormat.wordName(i), long.class);
      }
      return fields;
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * Puts bytes into the words, in little-endian order.
   *
   * @param to behind the last byte; the rest of the words is 0
   */
  public void fill(byte[] bytes, int from, int to) {
    for (int i = 0; i < WORDS; i++) {
      FIELDS[i].set(this, word(bytes, from + Long.BYTES * i, to));
    }
  }

  private static long word(byte[] bytes, int from, int to) {
    long word = 0;
    for (int i = Math.min(from + 8, to) - 1; i >= from; i--) {
      word = word << 8 | bytes[i] & 0xFF;
    }
    return word;
  }
}
