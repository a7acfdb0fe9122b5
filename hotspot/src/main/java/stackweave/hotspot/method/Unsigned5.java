package stackweave.hotspot.method;

/**
 * HotSpot's variable-length numbers (UNSIGNED5, {@code compressedStream.hpp} in 17, {@code
 * unsigned5.hpp} since 20), read one after the other. Reused; not thread-safe.
 *
 * <p>Up to five bytes, the least significant first, each worth 64 times the one before; a byte of
 * 192 or more says that another follows. From JDK 20 on every byte counts from 1.
 */
public final class Unsigned5 {
  private static final int FIRST_HIGH_CODE = 192;
  private static final int BITS_PER_BYTE = 6;
  private static final int MAX_BYTES = 5;

  private final int excluded;
  private byte[] bytes = new byte[0];
  private int end;
  private int position;

  /**
   * @param excludesZero whether bytes count from 1, as {@code Layout#unsigned5ExcludesZero}
   */
  public Unsigned5(boolean excludesZero) {
    excluded = excludesZero ? 1 : 0;
  }

  /** Reads from {@code position} on, never at or behind {@code end}. */
  public Unsigned5 at(byte[] bytes, int position, int end) {
    this.bytes = bytes;
    this.position = position;
    this.end = Math.min(end, bytes.length);
    return this;
  }

  boolean hasMore() {
    return position < end;
  }

  /** The next plain byte, 0 at the end. */
  int nextByte() {
    return position < end ? bytes[position++] & 0xff : 0;
  }

  /** The next number, 0 at the end. */
  public int next() {
    int sum = 0;
    for (int i = 0; i < MAX_BYTES && position < end; i++) {
      int code = bytes[position++] & 0xff;
      sum += (code - excluded) << (i * BITS_PER_BYTE);
      if (code < FIRST_HIGH_CODE) {
        break;
      }
    }
    return sum;
  }

  /** The next signed number: the sign is the lowest bit. */
  int nextSigned() {
    int value = next();
    return (value >>> 1) ^ -(value & 1);
  }
}
