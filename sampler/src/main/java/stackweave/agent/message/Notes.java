package stackweave.agent.message;

import java.util.StringJoiner;

/**
 * Joins what users should know into one line; empty notes are left out. Uses no stream, whose
 * lambdas would cost too much of a full heap. For one thread.
 */
public final class Notes {
  private final StringJoiner all = new StringJoiner("; ");

  /** Adds one; empty for nothing. */
  public Notes add(String note) {
    if (!note.isEmpty()) {
      all.add(note);
    }
    return this;
  }

  /** All of them; empty if there is none. */
  @Override
  public String toString() {
    return all.toString();
  }
}
