package stackweave.agent.feature;

/**
 * A {@link Feature} while samples are taken, also over several engines that replace each other. For
 * the drain thread. What it throws ends it; samples go on.
 */
public interface FeatureSession extends AutoCloseable {
  /** For {@link #waitMillis}: it does not need the drain thread soon. */
  int AT_LEISURE = Integer.MAX_VALUE;

  /** How long the drain thread may wait until the next {@link #pass}, in ms, at least 1. */
  default int waitMillis() {
    return AT_LEISURE;
  }

  /** Does what is due, if anything is. Called after the engine's samples, or while these wait. */
  default void pass() {}

  /** Writes what is known up to now, for a chunk that ends and waits for it: 20 ms at most. */
  default void flush() {}

  /** What users should know of it, in one line; empty for nothing. */
  default String note() {
    return "";
  }

  /** Writes the last of what is known, and releases everything. */
  @Override
  default void close() {}
}
