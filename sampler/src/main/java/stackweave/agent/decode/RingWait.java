package stackweave.agent.decode;

import stackweave.agent.decode.splice.SplicingUnwinder;
import stackweave.hotspot.runtime.StartedThreadCount;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Decides whether samples may wait in the engine's rings for some tenths of a second. Decoding many
 * at once is cheaper, because between two batches the application fills the CPU's caches.
 *
 * <p>They must not wait if what decoding needs may be gone by then: code and classes that are
 * unloaded, the older part of a stack that is deeper than its copy, the names of short-lived
 * threads, virtual threads and their labels. Whether such samples are to be expected is concluded
 * from recent ones, so the first of them may be decoded late. Allocates nothing. For the drain
 * thread only.
 */
final class RingWait {
  /** How long after a deep stack others are expected, in ns. */
  private static final long DEEP_NANOS = 10_000_000_000L;

  /** How long after a thread has started others are expected, in ns. */
  private static final long STARTED_NANOS = 2_000_000_000;

  /** How long after a sample of a virtual thread others are expected, in ns. */
  private static final long VIRTUAL_NANOS = 10_000_000_000L;

  private final SplicingUnwinder unwinder;
  private final Decoder decoder;

  /** Null if it is not known how many threads have started: then any may be new. */
  private final StartedThreadCount started;

  private long startedCount;

  /** When threads were last seen to have started, by {@link System#nanoTime}. */
  private long startedNanos = System.nanoTime();

  RingWait(SplicingUnwinder unwinder, Decoder decoder, StartedThreadCount started) {
    this.unwinder = unwinder;
    this.decoder = decoder;
    this.started = started;
  }

  /**
   * Whether samples may wait; asked before and during each wait.
   *
   * @param now by {@link System#nanoTime}
   */
  boolean isHarmless(long now) {
    decoder.unwinder().lookForUnloading();
    return isWithoutNewThreads(now)
        && !decoder.unwinder().isUnloadingExpected()
        && now - unwinder.deepNanos() > DEEP_NANOS
        && !decoder.threads().hasVirtual(now - VIRTUAL_NANOS)
        && !decoder.contexts().areUsed();
  }

  /** Whether no thread was started lately. */
  private boolean isWithoutNewThreads(long now) {
    if (started == null) {
      return false;
    }
    try {
      long count = started.count();
      if (count != startedCount) {
        startedCount = count;
        startedNanos = now;
      }
      return now - startedNanos > STARTED_NANOS;
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }
}
