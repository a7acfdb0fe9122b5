package stackweave.unwind.text;

/** Shortens text. Stateless. */
public final class ShortText {
  private ShortText() {}

  /**
   * The beginning of a text; without half a character at its end.
   *
   * @param most chars, 1 or more
   */
  public static String of(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    return text.substring(0, Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most);
  }
}
