package stackweave.jfr.weave.format;

import java.io.DataOutput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes in JFR's encodings, in memory. Not thread-safe. */
public final class EncodedBytes {
  private static final byte NULL_TEXT = 0;
  private static final byte UTF_8_TEXT = 3;
  private static final byte CHARACTERS = 4;

  /** The bits of a byte that belong to the number. */
  private static final int SEVEN_BITS = 0x7f;

  /** The bytes of a {@link #replaceableNumber}. */
  static final int REPLACEABLE_BYTES = 9;

  private byte[] bytes;
  private int size;

  public EncodedBytes(int expected) {
    bytes = new byte[expected];
  }

  public int size() {
    return size;
  }

  public void clear() {
    size = 0;
  }

  /** A compressed number: seven bits a byte, the low ones first; a ninth byte is whole. */
  public void number(long number) {
    room(9);
    long left = number;
    for (int i = 0; i < 8 && (left & ~SEVEN_BITS) != 0; i++) {
      bytes[size++] = (byte) (left & SEVEN_BITS | 0x80);
      left >>>= 7;
    }
    bytes[size++] = (byte) left;
  }

  /** A compressed number that takes nine bytes, however small it is; 0 takes one. */
  public void replaceableNumber(long number) {
    if (number == 0) {
      raw(0);
      return;
    }
    room(REPLACEABLE_BYTES);
    replace(bytes, size, number);
    size += REPLACEABLE_BYTES;
  }

  /** Replaces a number but 0 that {@link #replaceableNumber} appended. */
  static void replace(byte[] bytes, int at, long number) {
    int last = REPLACEABLE_BYTES - 1;
    for (int i = 0; i < last; i++) {
      bytes[at + i] = (byte) (number >>> 7 * i & SEVEN_BITS | 0x80);
    }
    bytes[at + last] = (byte) (number >>> 7 * last);
  }

  /** Appends the size of an event: {@code following} bytes and the size's own. */
  public void sizeWithItself(int following) {
    int own = 1;
    while (following + own >= 1L << 7 * own) {
      own++;
    }
    number(following + own);
  }

  /** Appends a number below 2²⁸ in four bytes, as JFR does for sizes that are known later. */
  public void paddedNumber(int number) {
    room(4);
    for (int i = 0; i < 3; i++) {
      bytes[size++] = (byte) (number >>> 7 * i & SEVEN_BITS | 0x80);
    }
    bytes[size++] = (byte) (number >>> 21);
  }

  /** Replaces a number that {@link #paddedNumber} appended. */
  public void setPaddedNumber(int at, int number) {
    int end = size;
    size = at;
    paddedNumber(number);
    size = end;
  }

  public void raw(int value) {
    room(1);
    bytes[size++] = (byte) value;
  }

  /** Appends a string in UTF-8, without halves of surrogate pairs; null in JFR's encoding. */
  public void text(String text) {
    if (text == null) {
      raw(NULL_TEXT);
      return;
    }
    if (text.chars().anyMatch(c -> Character.isSurrogate((char) c))) {
      raw(CHARACTERS);
      number(text.length());
      text.chars().forEach(this::number);
      return;
    }
    byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
    raw(UTF_8_TEXT);
    number(encoded.length);
    room(encoded.length);
    System.arraycopy(encoded, 0, bytes, size, encoded.length);
    size += encoded.length;
  }

  public void append(EncodedBytes other) {
    room(other.size);
    System.arraycopy(other.bytes, 0, bytes, size, other.size);
    size += other.size;
  }

  public void writeTo(DataOutput out) throws IOException {
    out.write(bytes, 0, size);
  }

  private void room(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
    }
  }
}
