package stackweave.agent.drain.wall;

/**
 * One way of telling where threads wait, beside the engine of CPU time. Driven by the drain thread,
 * after the engine's samples.
 */
public interface WaitingPart extends AutoCloseable {
  /** How long the drain thread may wait until the next {@link #pass}, in ms, at least 1. */
  int waitMillis();

  /** Does what is due, if anything is. */
  void pass();

  /** Writes what is known up to now, for a chunk that ends. */
  void flush();

  /** What is to know of it, or empty. */
  String note();

  /** Writes the last of what is known, and releases everything. */
  @Override
  void close();
}
