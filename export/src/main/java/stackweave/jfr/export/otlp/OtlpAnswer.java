package stackweave.jfr.export.otlp;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import stackweave.unwind.text.ShortText;

/**
 * A collector's answer to a profile that it accepted.
 *
 * @param rejected profiles that it did not accept
 * @param message the reason, or another message; empty for none
 */
public record OtlpAnswer(long rejected, String message) {
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int LENGTH_DELIMITED = 2;
  private static final int FIXED32 = 5;
  private static final int MAX_MESSAGE = 500;

  /** Decodes an {@code ExportProfilesServiceResponse}; other bytes give an empty answer. */
  static OtlpAnswer ofResponse(byte[] bytes) {
    Object partial = fields(bytes).get(1);
    Map<Integer, Object> fields = partial instanceof byte[] inner ? fields(inner) : Map.of();
    return new OtlpAnswer(fields.get(1) instanceof Long rejected ? rejected : 0, line(fields));
  }

  /** The message of a {@code google.rpc.Status}; empty for other bytes. */
  static String errorOf(byte[] bytes) {
    return line(fields(bytes));
  }

  /** The text that both have in field 2, in one line. */
  private static String line(Map<Integer, Object> fields) {
    String text =
        fields.get(2) instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : "";
    return ShortText.of(text, MAX_MESSAGE).replaceAll("\\s+", " ").strip();
  }

  /**
   * The top-level fields of a message up to its end, or to where the bytes are no message: a Long
   * or a byte[] each; of several with one number the last.
   */
  private static Map<Integer, Object> fields(byte[] bytes) {
    Map<Integer, Object> fields = new HashMap<>();
    ByteBuffer left = ByteBuffer.wrap(bytes);
    try {
      while (left.hasRemaining()) {
        long tag = varint(left);
        Object value =
            switch ((int) tag & 7) {
              case VARINT -> varint(left);
              case FIXED64 -> left.getLong();
              case FIXED32 -> (long) left.getInt();
              case LENGTH_DELIMITED -> delimited(left, varint(left));
              default -> throw new BufferUnderflowException();
            };
        fields.put((int) (tag >>> 3), value);
      }
    } catch (BufferUnderflowException e) {
      return fields; // what was read is used
    }
    return fields;
  }

  private static byte[] delimited(ByteBuffer left, long length) {
    if (length < 0 || length > left.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] value = new byte[(int) length];
    left.get(value);
    return value;
  }

  private static long varint(ByteBuffer bytes) {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      byte next = bytes.get();
      value |= (next & 0x7fL) << shift;
      if (next >= 0) {
        break;
      }
    }
    return value;
  }
}
