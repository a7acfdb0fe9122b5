package stackweave.jfr.export;

/**
 * Names as they may be written to a file: half surrogates can't be encoded, and class files may
 * hold them.
 */
final class Names {
  private static final char REPLACEMENT = '\ufffd';

  private Names() {}

  /** {@code name} with halves of surrogate pairs replaced. */
  static String encodable(String name) {
    StringBuilder changed = null;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (!Character.isSurrogate(c)) {
        continue;
      }
      if (Character.isHighSurrogate(c)
          && i + 1 < name.length()
          && Character.isLowSurrogate(name.charAt(i + 1))) {
        i++;
        continue;
      }
      if (changed == null) {
        changed = new StringBuilder(name);
      }
      changed.setCharAt(i, REPLACEMENT);
    }
    return changed == null ? name : changed.toString();
  }
}
