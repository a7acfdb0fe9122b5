package stackweave.jfr.export;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * A message of protocol buffers that is being written: fields in the order of the calls. Fields
 * with the default value of proto3 are left out, but for elements of repeated ones. Not
 * thread-safe. Source: protobuf.dev/programming-guides/encoding.
 */
public final class Protobuf {
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int LENGTH_DELIMITED = 2;

  /** Below the largest array of any JVM. */
  private static final int MAX_BYTES = Integer.MAX_VALUE - 16;

  private byte[] bytes = new byte[64];
  private int length;

  /** An int32, int64, uint64, bool or enum; left out if it is 0. */
  public Protobuf number(int field, long value) {
    if (value != 0) {
      tag(field, VARINT);
      varint(value);
    }
    return this;
  }

  /** A fixed64; left out if it is 0. */
  public Protobuf fixed64(int field, long value) {
    if (value != 0) {
      tag(field, FIXED64);
      reserve(Long.BYTES);
      for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
        bytes[length++] = (byte) (value >>> shift);
      }
    }
    return this;
  }

  /** A repeated number, packed; left out if it is empty. */
  public Protobuf packed(int field, List<? extends Number> values) {
    if (!values.isEmpty()) {
      int size = 0;
      for (Number value : values) {
        size += varintLength(value.longValue());
      }
      tag(field, LENGTH_DELIMITED);
      varint(size);
      for (Number value : values) {
        varint(value.longValue());
      }
    }
    return this;
  }

  /** A string or one of a repeated field, also an empty one. Half surrogate pairs are replaced. */
  public Protobuf string(int field, String text) {
    return bytes(field, Names.encodable(text).getBytes(StandardCharsets.UTF_8));
  }

  /** Bytes, also empty ones. */
  public Protobuf bytes(int field, byte[] value) {
    return delimited(field, value, value.length);
  }

  /** A message or one of a repeated field, also an empty one. */
  public Protobuf message(int field, Protobuf message) {
    return delimited(field, message.bytes, message.length);
  }

  private Protobuf delimited(int field, byte[] value, int size) {
    tag(field, LENGTH_DELIMITED);
    varint(size);
    reserve(size);
    System.arraycopy(value, 0, bytes, length, size);
    length += size;
    return this;
  }

  private void tag(int field, int wireType) {
    varint((long) field << 3 | wireType);
  }

  private void varint(long value) {
    reserve(10);
    long left = value;
    while ((left & ~0x7fL) != 0) {
      bytes[length++] = (byte) (left | 0x80);
      left >>>= 7;
    }
    bytes[length++] = (byte) left;
  }

  private static int varintLength(long value) {
    return Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + 6) / 7);
  }

  private void reserve(int more) {
    if (more > MAX_BYTES - length) {
      throw new OutOfMemoryError("a message of more than 2 GiB");
    }
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length + more, (int) Math.min(MAX_BYTES, 2L * length)));
    }
  }

  /** The number of bytes so far. */
  public int size() {
    return length;
  }

  /** Removes all fields, so that the next message can be written. */
  public void clear() {
    length = 0;
  }

  /** Writes what there is to {@code out}. */
  public void writeTo(OutputStream out) throws IOException {
    out.write(bytes, 0, length);
  }

  /** A copy of what there is. */
  public byte[] toByteArray() {
    return Arrays.copyOf(bytes, length);
  }
}
