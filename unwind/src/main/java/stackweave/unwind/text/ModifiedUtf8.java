package stackweave.unwind.text;

import java.nio.charset.StandardCharsets;

/**
 * Decodes the VM's modified UTF-8 (JVMS 4.4.7), which symbols, the names that it gives threads, and
 * strings in recordings have. It differs from UTF-8 in U+0000, which has two bytes, and in
 * characters above U+FFFF: each half of their pair of surrogates has three bytes. Stateless.
 */
public final class ModifiedUtf8 {
  /** Bytes of a pair of surrogates. */
  private static final int PAIR_BYTES = 6;

  /** Longest name of a thread; HotSpot puts dots into longer ones (os::set_native_thread_name). */
  private static final int NAME_BYTES = 15;

  private static final int DOTS = 7;

  private static final char REPLACEMENT = '\ufffd';

  private ModifiedUtf8() {}

  /**
   * The text of bytes in this encoding, or in plain UTF-8.
   *
   * @return null if they are neither, or one of them is 0, which this encoding does not have
   */
  public static String text(byte[] bytes, int offset, int length) {
    String text = new String(bytes, offset, length, StandardCharsets.UTF_8);
    // If nothing was replaced, both encodings are the same.
    return text.indexOf(REPLACEMENT) < 0 && text.indexOf('\0') < 0
        ? text
        : modified(bytes, offset, offset + length);
  }

  private static String modified(byte[] bytes, int from, int end) {
    char[] characters = new char[end - from];
    int count = 0;
    for (int i = from; i < end; i++) {
      int c = bytes[i] & 0xff;
      int more = c < 0x80 ? 0 : c >> 5 == 0b110 ? 1 : c >> 4 == 0b1110 ? 2 : end;
      if (c == 0 || more >= end - i) {
        return null;
      }
      c &= 0xff >> (more == 0 ? 1 : more + 2);
      for (int left = more; left > 0; left--) {
        int next = bytes[++i];
        if ((next & 0xc0) != 0x80) {
          return null;
        }
        c = c << 6 | next & 0x3f;
      }
      characters[count++] = (char) c;
    }
    return new String(characters, 0, count);
  }

  /**
   * As {@link #text}, for a text that was cut after some byte, as the kernel cuts names of threads:
   * the bytes of an incomplete last character are left out. From JDK 26 on HotSpot cuts names
   * itself, with dots in place of the middle: there it is done on both sides. Bytes that are still
   * no text are replaced.
   */
  public static String cut(byte[] bytes, int length) {
    for (int less = 0; less < Math.min(PAIR_BYTES, length); less++) {
      String text = text(bytes, 0, length - less);
      if (text != null && !Character.isHighSurrogate(text.charAt(text.length() - 1))) {
        return text;
      }
    }
    if (length == NAME_BYTES && bytes[DOTS] == '.' && bytes[DOTS + 1] == '.') {
      int end = DOTS + 2;
      while (end < length && (bytes[end] & 0xc0) == 0x80) {
        end++; // of a character whose first byte is left out
      }
      String tail = text(bytes, end, length - end);
      if (tail != null) {
        return cut(bytes, DOTS) + ".." + tail;
      }
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }
}
