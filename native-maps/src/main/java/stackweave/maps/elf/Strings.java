package stackweave.maps.elf;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Reads null-terminated strings of ELF string tables. Stateless. */
public final class Strings {
  private static final int PIECE = 64;

  /** The longest string that is made: a table may be one text of 64 MiB. */
  private static final int MAX_STRING = 16 << 10;

  private Strings() {}

  /**
   * The string at an offset, ended by null or the end of the table, or cut at 16 KiB; "" for an
   * offset outside, since a missing name is no failure.
   */
  public static String at(ByteBuffer table, int offset) {
    int length = length(table, offset, MAX_STRING);
    if (length == 0) {
      return "";
    }
    byte[] bytes = new byte[length];
    table.get(offset, bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** How many bytes the string at an offset has; 0 for an offset outside. */
  public static int length(ByteBuffer table, int offset) {
    return length(table, offset, Integer.MAX_VALUE);
  }

  /** As {@link #length(ByteBuffer, int)}, or {@code most} if it has more. */
  public static int length(ByteBuffer table, int offset, int most) {
    if (offset < 0 || offset >= table.limit()) {
      return 0;
    }
    int limit = (int) Math.min(table.limit(), (long) offset + most);
    // Reads pieces into an array, which interpreted bytecode reads far faster than a buffer.
    byte[] piece = new byte[Math.min(PIECE, limit - offset)];
    for (int from = offset; from < limit; from += piece.length) {
      int size = Math.min(piece.length, limit - from);
      table.get(from, piece, 0, size);
      for (int i = 0; i < size; i++) {
        if (piece[i] == 0) {
          return from + i - offset;
        }
      }
    }
    return limit - offset;
  }

  /** Whether the string at an offset is exactly these bytes. */
  public static boolean equal(ByteBuffer table, int offset, byte[] bytes) {
    if (offset < 0 || bytes.length >= table.limit() - (long) offset) {
      return false;
    }
    for (int i = 0; i < bytes.length; i++) {
      if (table.get(offset + i) != bytes[i]) {
        return false;
      }
    }
    return table.get(offset + bytes.length) == 0;
  }
}
