package stackweave.hotspot.method;

import stackweave.hotspot.vmstructs.MemoryCopy;

/**
 * The texts of symbols, one for those that are equal as long as it is remembered: the methods of a
 * class share its name and source file, and many have the same descriptor. Bounded: a text takes
 * the place of another with the same hash. Not thread-safe.
 */
final class SymbolTexts {
  /** A power of two. */
  private static final int SLOTS = 2_048;

  private final String[] texts = new String[SLOTS];

  /** Of a text that was asked for as a class's: its name as Java has it; else null. */
  private final String[] classNames = new String[SLOTS];

  /** The text of {@code length} bytes of a copy from {@code offset} on; null if they are none. */
  String of(MemoryCopy copy, int offset, int length) {
    int slot = slot(copy.bytes(), offset, length);
    String known = texts[slot];
    if (known != null && isText(known, copy.bytes(), offset, length)) {
      return known;
    }
    String text = copy.text(offset, length);
    texts[slot] = text;
    classNames[slot] = null;
    return text;
  }

  /**
   * {@link ClassFileNames#javaClassName} of the text that {@link #of} gives for the same bytes;
   * null for null.
   */
  String classNameOf(MemoryCopy copy, int offset, int length) {
    String text = of(copy, offset, length);
    int slot = slot(copy.bytes(), offset, length);
    if (classNames[slot] == null && text != null) {
      classNames[slot] = ClassFileNames.javaClassName(text);
    }
    return classNames[slot];
  }

  private static int slot(byte[] bytes, int offset, int length) {
    int hash = length;
    for (int i = offset; i < offset + length; i++) {
      hash = 31 * hash + bytes[i];
    }
    return (hash ^ hash >>> 16) & SLOTS - 1;
  }

  /** Whether these are the text's characters. False also of some that are, if not all are ASCII. */
  private static boolean isText(String text, byte[] bytes, int offset, int length) {
    if (text.length() != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (text.charAt(i) != bytes[offset + i]) {
        return false;
      }
    }
    return true;
  }
}
