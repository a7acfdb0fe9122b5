package stackweave.jfr.export.otlp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import stackweave.unwind.text.ShortText;

/**
 * What a collector says of a profile that it took.
 *
 * @param rejected profiles that it did not take
 * @param message why, or what else it has to say; empty for nothing
 */
public record OtlpAnswer(long rejected, String message) {
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int LENGTH_DELIMITED = 2;
  private static final int FIXED32 = 5;
  private static final int MAX_MESSAGE = 500;

  /** From the bytes of an {@code ExportProfilesServiceResponse}; what is no such says nothing. */
  static OtlpAnswer ofResponse(byte[] bytes) {
    Fields partial = new Fields(new Fields(bytes).text(1).orElse(new byte[0]));
    return new OtlpAnswer(partial.number(1), partial.line(2));
  }

  /** The message of a {@code google.rpc.Status}; empty if the bytes are no such. */
  static String errorOf(byte[] bytes) {
    return new Fields(bytes).line(2);
  }

  /** Top-level fields of a message. */
  private record Fields(byte[] bytes) {

    /** The field's last number; 0 if there is none. */
    long number(int field) {
      long[] found = new long[1];
      read((number, value, text) -> found[0] = number == field && text == null ? value : found[0]);
      return found[0];
    }

    /** The field's last bytes. */
    Optional<byte[]> text(int field) {
      byte[][] found = new byte[1][];
      read((number, value, text) -> found[0] = number == field && text != null ? text : found[0]);
      return Optional.ofNullable(found[0]);
    }

    String line(int field) {
      String text = text(field).map(t -> new String(t, StandardCharsets.UTF_8)).orElse("");
      return ShortText.of(text, MAX_MESSAGE).replaceAll("\\s+", " ").strip();
    }

    private interface Field {
      void take(int number, long value, byte[] text);
    }

    /** Up to the end, or to where the bytes are no message. */
    private void read(Field consumer) {
      ByteBuffer left = ByteBuffer.wrap(bytes);
      while (left.hasRemaining()) {
        long tag = varint(left);
        long value = 0;
        byte[] text = null;
        switch ((int) tag & 7) {
          case VARINT -> value = varint(left);
          case LENGTH_DELIMITED -> {
            long length = varint(left);
            if (length < 0 || length > left.remaining()) {
              return;
            }
            text = new byte[(int) length];
            left.get(text);
          }
          case FIXED64, FIXED32 -> {
            int length = ((int) tag & 7) == FIXED64 ? Long.BYTES : Integer.BYTES;
            if (length > left.remaining()) {
              return;
            }
            left.position(left.position() + length);
          }
          default -> {
            return;
          }
        }
        consumer.take((int) (tag >>> 3), value, text);
      }
    }

    private static long varint(ByteBuffer bytes) {
      long value = 0;
      for (int shift = 0; shift < Long.SIZE && bytes.hasRemaining(); shift += 7) {
        byte next = bytes.get();
        value |= (next & 0x7fL) << shift;
        if (next >= 0) {
          break;
        }
      }
      return value;
    }
  }
}
