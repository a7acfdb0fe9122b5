package stackweave.jfr.event;

/**
 * Texts that JFR writes into the event itself: those of {@link Session} and {@link Context},
 * without which no sample can be read. JDK 17 to 23 pool a text of 17 to 127 characters that they
 * meet again (jdk.jfr.internal.StringPool), and a later recording of the same JVM lacks it if an
 * earlier one had it. So such texts are filled up with blanks, which readers remove. Stateless.
 */
public final class InlineText {
  private static final int FIRST_POOLED = 17;
  private static final int NEVER_POOLED = 128;
  private static final int FIRST_JDK_WITHOUT = 24;
  private static final boolean IS_POOLED = Runtime.version().feature() < FIRST_JDK_WITHOUT;

  private InlineText() {}

  /** A text for a field of an event; null stays null. */
  public static String of(String text) {
    boolean isPooled =
        IS_POOLED && text != null && text.length() >= FIRST_POOLED && text.length() < NEVER_POOLED;
    return isPooled ? text + " ".repeat(NEVER_POOLED - text.length()) : text;
  }

  /** The text of a field as it was before {@link #of}. */
  public static String read(String field) {
    return field.length() == NEVER_POOLED && field.endsWith(" ") ? field.stripTrailing() : field;
  }
}
