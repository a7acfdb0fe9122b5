package stackweave.jfr.store;

import jdk.jfr.Event;
import stackweave.jfr.weave.live.LiveWeave;

/**
 * How samples and what they name are put into events: one for each version of the schema. All calls
 * are made within the {@link ChunkGate}, and between {@link #enter} and {@link #leave}.
 */
interface SampleLayout {
  /**
   * Commits may follow. What samples need whose commit was torn, or that were held back while
   * chunks were rotated, is defined in this chunk, too.
   */
  void enter(int chunk);

  /** Writes a sample and what its chunk lacks of its definitions, or holds it back for a while. */
  void sample(
      long timeNanos,
      ThreadTable.Entry thread,
      int stateCode,
      long weightNanos,
      long stackId,
      int endCode,
      long contextId);

  /**
   * The same for an event that is never woven: of a thread that waited, of native memory, and of
   * what is no CPU time.
   *
   * @param event with its fields and its time
   */
  void unwoven(Event event, ThreadTable.Entry thread, long stackId);

  /** Whether nothing is held back. The one method that may be called outside of the gate. */
  boolean isEmpty();

  /** Writes what is held back. */
  void write();

  /**
   * @param torn whether the commits since {@link #enter} may be in the next chunk
   */
  void leave(boolean torn);

  /**
   * JFR's hook, on any thread, instead of all the others: writes what is held back and explained in
   * {@code chunk}, which ends. Touches nothing that the drain thread uses outside of the gate.
   */
  void chunkEnds(int chunk);

  /** Forgets what is held back: nobody records it. */
  void discard();

  /**
   * All samples that are written from now on are woven, too. Within the gate, or before it opens.
   */
  void weaveBy(LiveWeave weave);

  /** Gives back what is not needed while no samples are taken. */
  void rest();
}
