package stackweave.agent.feature;

/**
 * A {@link Feature} while samples are taken, also across engines that replace each other. For the
 * drain thread. An exception ends the session; sampling goes on.
 */
public interface FeatureSession extends AutoCloseable {
  /** For {@link #waitMillis}: the session does not need the drain thread soon. */
  int AT_LEISURE = Integer.MAX_VALUE;

  /** How long the drain thread may wait until the next {@link #pass}, in ms, at least 1. */
  default int waitMillis() {
    return AT_LEISURE;
  }

  /** Does the work that is due. Called after the engine's samples, or while these wait. */
  default void pass() {}

  /** Writes all that is known so far, for a chunk that ends and waits at most 20 ms for it. */
  default void flush() {}

  /** A note for users, in one line; empty for none. */
  default String note() {
    return "";
  }

  /** Writes the rest, and releases everything. */
  @Override
  default void close() {}
}
