package stackweave.jfr.read;

import java.nio.file.Path;
import java.util.Locale;
import stackweave.jfr.event.Session;

/** A file has no readable samples. The message is one line for users, with the file's name. */
public final class RecordingException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Why it has no sample, without the file's name; null if it could not be read. */
  private final String whyWithout;

  /** A failure with {@code message}, one line for users. */
  public RecordingException(String message) {
    super(message);
    whyWithout = null;
  }

  private RecordingException(Path file, String whyWithout) {
    super(file + ": " + whyWithout);
    this.whyWithout = whyWithout;
  }

  /** A failure with {@code message}, one line for users, and its {@code cause}. */
  public RecordingException(String message, Throwable cause) {
    super(message, cause);
    whyWithout = null;
  }

  /** A recording that could be read, and has no sample. */
  static RecordingException withoutSamples(Path file, String why) {
    return new RecordingException(file, why);
  }

  /** Whether the recording could be read, and has no sample. */
  public boolean isWithoutSamples() {
    return whyWithout != null;
  }

  /** Why the recording has no sample, without the file's name; null if it could not be read. */
  public String whyWithoutSamples() {
    return whyWithout;
  }

  /**
   * Refuses a recording whose events this version does not know.
   *
   * @param agentVersion of the agent that made it
   * @throws RecordingException if {@code schema} is later than {@link Session#SCHEMA_VERSION}
   */
  public static void ifLaterSchema(Path file, int schema, String agentVersion)
      throws RecordingException {
    if (schema > Session.SCHEMA_VERSION) {
      throw new RecordingException(
          String.format(
              Locale.ROOT,
              "%s: is of schema %d, and this version reads those up to %d: it needs Stackweave %s"
                  + " or later, whose agent made it",
              file,
              schema,
              Session.SCHEMA_VERSION,
              agentVersion));
    }
  }
}
