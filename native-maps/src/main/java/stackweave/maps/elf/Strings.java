package stackweave.maps.elf;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** NUL-terminated strings of ELF string tables. */
public final class Strings {
  private Strings() {}

  /**
   * The string at an offset, ended by NUL or by the end of the table; "" for an offset outside: a
   * name is never worth a failure.
   */
  public static String at(ByteBuffer table, int offset) {
    int end = end(table, offset);
    if (end <= offset) {
      return "";
    }
    byte[] bytes = new byte[end - offset];
    table.get(offset, bytes);
    return new String(bytes, StandardCharsets.UTF_8);
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

  private static int end(ByteBuffer table, int offset) {
    if (offset < 0) {
      return offset;
    }
    int end = offset;
    while (end < table.limit() && table.get(end) != 0) {
      end++;
    }
    return end;
  }
}
