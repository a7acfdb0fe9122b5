package stackweave.agent.decode;

import stackweave.agent.decode.splice.SplicingUnwinder;
import stackweave.hotspot.runtime.StartedThreads;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Tells whether samples may wait in the engine's rings for some tenths of a second, so that many
 * are decoded at once: what stacks are decoded with is in the CPU's caches then, which the
 * application takes between two batches.
 *
 * <p>They may not where what they need may be gone by then: code and classes that are unloaded, the
 * older part of a stack that is deeper than its copy, the names of threads that live for a moment,
 * virtual threads and their labels. That is told by what was met lately; the first of them after a
 * quiet time may be decoded late. Allocates nothing. For the drain thread only.
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

  /** Null where it is not told how many threads have started: any may be new then. */
  private final StartedThreads started;

  private long startedCount;

  /** When it was last seen that threads have started, by {@link System#nanoTime}. */
  private long startedNanos = System.nanoTime();

  RingWait(SplicingUnwinder unwinder, Decoder decoder, StartedThreads started) {
    this.unwinder = unwinder;
    this.decoder = decoder;
    this.started = started;
  }

  /**
   * Whether samples may wait: asked when they begin to, and meanwhile.
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
