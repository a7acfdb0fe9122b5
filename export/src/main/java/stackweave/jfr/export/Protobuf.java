package stackweave.jfr.export;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Encodes a protocol buffers message, with the fields in the order of the calls. Fields with
 * proto3's default value are left out, except elements of repeated fields. Not thread-safe. Source:
 * protobuf.dev/programming-guides/encoding.
 */
public final class Protobuf {
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int LENGTH_DELIMITED = 2;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(64);

  /** An int32, int64, uint64, bool or enum; left out if it is 0. */
  public Protobuf number(int field, long value) {
    if (value != 0) {
      tag(field, VARINT);
      varint(bytes, value);
    }
    return this;
  }

  /** A fixed64; left out if it is 0. */
  public Protobuf fixed64(int field, long value) {
    if (value != 0) {
      tag(field, FIXED64);
      for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
        bytes.write((int) (value >>> shift));
      }
    }
    return this;
  }

  /** A repeated number, packed; left out if it is empty. */
  public Protobuf packed(int field, List<? extends Number> values) {
    if (!values.isEmpty()) {
      Protobuf inner = new Protobuf();
      values.forEach(value -> varint(inner.bytes, value.longValue()));
      message(field, inner);
    }
    return this;
  }

  /** A string or element of a repeated field, also if empty. Half surrogate pairs are replaced. */
  public Protobuf string(int field, String text) {
    return bytes(field, Names.encodable(text).getBytes(StandardCharsets.UTF_8));
  }

  /** Bytes, also empty ones. */
  public Protobuf bytes(int field, byte[] value) {
    tag(field, LENGTH_DELIMITED);
    varint(bytes, value.length);
    bytes.writeBytes(value);
    return this;
  }

  /** A message or an element of a repeated field, also if empty. */
  public Protobuf message(int field, Protobuf message) {
    return bytes(field, message.toByteArray());
  }

  private void tag(int field, int wireType) {
    varint(bytes, (long) field << 3 | wireType);
  }

  /** Writes an unsigned number in as many groups of seven bits as it has, the lowest first. */
  public static void varint(ByteArrayOutputStream out, long value) {
    long left = value;
    while ((left & ~0x7fL) != 0) {
      out.write((int) left | 0x80);
      left >>>= 7;
    }
    out.write((int) left);
  }

  /** The number of bytes so far. */
  public int size() {
    return bytes.size();
  }

  /** Writes the message so far to {@code out}. */
  public void writeTo(OutputStream out) throws IOException {
    bytes.writeTo(out);
  }

  /** A copy of the message so far. */
  public byte[] toByteArray() {
    return bytes.toByteArray();
  }
}
