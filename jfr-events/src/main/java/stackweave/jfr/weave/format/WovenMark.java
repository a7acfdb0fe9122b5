package stackweave.jfr.weave.format;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A string constant in the last checkpoint of a woven chunk that names the chunk whose samples it
 * has, so that they are not woven again. Immutable.
 *
 * @param startNanos when the chunk began whose samples they are, by its header
 * @param size the bytes that it had before
 * @param session the id of its session
 */
public record WovenMark(long startNanos, long size, String session) {
  private static final String BEGIN = "stackweave woven 1 ";
  private static final Pattern FORM =
      Pattern.compile(
          BEGIN + "chunk=([1-8]?\\d{1,18}) size=([1-8]?\\d{1,18}) session=([\\w-]{0,64})");

  /** The mark in a string constant; null if it is none. */
  public static WovenMark parse(String text) {
    if (!text.startsWith(BEGIN)) {
      return null;
    }
    Matcher matcher = FORM.matcher(text);
    return matcher.matches()
        ? new WovenMark(
            Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)), matcher.group(3))
        : null;
  }

  /** Whether a chunk's session has an id that a mark can hold. */
  public static boolean canHold(String session) {
    return session.matches("[\\w-]{0,64}");
  }

  public String text() {
    return BEGIN + "chunk=" + startNanos + " size=" + size + " session=" + session;
  }
}
