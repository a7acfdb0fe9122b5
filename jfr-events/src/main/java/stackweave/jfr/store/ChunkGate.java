package stackweave.jfr.store;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * Keeps every sample in the same chunk as its definitions: the drain thread commits them only while
 * holding this gate's lock with the gate open. JFR's hook before a chunk rotation closes it, the
 * hook after it opens it with a new chunk number. Used by {@link EventStore}; thread-safe.
 *
 * <p>The first hook may run on an application's thread: it asks the drain thread to write what it
 * has, and waits a limited time. A commit that it did not wait for is {@link #isTorn torn}: its
 * sample may be in the next chunk, which therefore gets the definitions, too.
 */
final class ChunkGate {
  /**
   * Longest wait of a rotation for the drain thread's flush; at the JVM's end, for all rotations
   * together.
   */
  static final long FLUSH_NANOS = 60_000_000L;

  /** The name of the thread that ends recordings at the JVM's end, on all JDKs. */
  static final String SHUTDOWN_HOOK = "JFR Shutdown Hook";

  /**
   * Longest wait of each hook, after that, for one commit under way: microseconds, unless the drain
   * thread is not scheduled. All three waits add up to the 100 ms that an application thread may
   * lose.
   */
  static final long COMMIT_NANOS = 20_000_000L;

  /**
   * How long the drain thread waits for the second hook while JFR records. A rotation takes
   * milliseconds; if the hook never comes (its event type was disabled), samples that may lack
   * definitions are better than none.
   */
  static final long OPEN_NANOS = 2_000_000_000L;

  private static final long LOOK_NANOS = 10_000_000L;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition opened = lock.newCondition();

  private volatile boolean closed;
  private volatile int chunk = 1;
  private volatile Runnable wakeUp;
  private volatile Thread drain;
  private volatile boolean flushRequested;
  private volatile Thread flushWaiter;
  private volatile boolean lastFlushed;

  /** What is left of {@link #FLUSH_NANOS} at the JVM's end; for the thread that ends it only. */
  private long lastPatience = FLUSH_NANOS;

  /** How many chunks have ended. */
  private volatile int ended;

  private volatile long forcedOpenings;
  private volatile long lateFlushes;
  private volatile long missedEnds;

  /** Makes the current thread the drain thread; {@code wakeUp} makes it check the gate soon. */
  void attach(Runnable wakeUp) {
    this.drain = Thread.currentThread();
    this.wakeUp = wakeUp;
  }

  /** Whether there is a drain thread. */
  boolean isAttached() {
    return drain != null;
  }

  /** Removes the drain thread: rotations don't wait any more. */
  void detach() {
    wakeUp = null;
    drain = null;
    flushDone();
  }

  boolean flushRequested() {
    return flushRequested;
  }

  void flushDone() {
    flushRequested = false;
    LockSupport.unpark(flushWaiter);
  }

  /**
   * Called by the first hook: requests a flush, waits for it, closes the gate.
   *
   * @param rest called under the lock, if it can be taken, with the number of the chunk that ends,
   *     before JFR ends it
   * @return false if the drain thread did not answer in time
   */
  boolean chunkEnds(IntConsumer rest) {
    boolean last = Thread.currentThread().getName().equals(SHUTDOWN_HOOK);
    long begin = System.nanoTime();
    long late = lateFlushes;
    boolean interrupted = awaitFlush(begin + (last ? lastPatience : FLUSH_NANOS));
    closed = true;
    if (last) {
      lastFlushed = true;
      lastPatience = Math.max(0, lastPatience - (System.nanoTime() - begin));
    }
    // A commit under way belongs to the chunk that ends.
    if (hold(COMMIT_NANOS)) {
      try {
        rest.accept(chunk);
      } finally {
        leave();
      }
    } else {
      missedEnds++;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return late == lateFlushes;
  }

  /**
   * Asks the drain thread for a flush and waits for it. Any other thread.
   *
   * @return false if it did not come in time
   */
  boolean flush(long nanos) {
    long late = lateFlushes;
    if (awaitFlush(System.nanoTime() + nanos)) {
      Thread.currentThread().interrupt();
    }
    return late == lateFlushes;
  }

  /** Whether the JVM is ending and the last flush was requested. */
  boolean isLastFlushed() {
    return lastFlushed;
  }

  private boolean awaitFlush(long deadline) {
    Runnable told = wakeUp;
    boolean interrupted = Thread.interrupted();
    if (told == null || Thread.currentThread() == drain) {
      return interrupted;
    }
    flushWaiter = Thread.currentThread();
    flushRequested = true;
    told.run();
    long left = deadline - System.nanoTime();
    while (flushRequested && left > 0) {
      LockSupport.parkNanos(this, left);
      // An interrupted thread would not park: the interrupt is restored at the end.
      interrupted |= Thread.interrupted();
      left = deadline - System.nanoTime();
    }
    flushWaiter = null;
    if (flushRequested) {
      lateFlushes++;
      flushRequested = false;
    }
    return interrupted;
  }

  /** Called by the second hook: starts a new chunk number and opens the gate. */
  void chunkBegins() {
    boolean locked = hold(COMMIT_NANOS);
    chunk++;
    ended++;
    closed = false;
    if (locked) {
      opened.signalAll();
      lock.unlock();
    }
  }

  /** How many chunks have ended; unlike the chunk's number, which also changes without that. */
  int ended() {
    return ended;
  }

  /** As {@link #hold()}, but waits at most {@code nanos}; {@link #leave} must follow if true. */
  boolean hold(long nanos) {
    boolean interrupted = Thread.interrupted();
    boolean locked = false;
    try {
      locked = lock.tryLock(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return locked;
  }

  /**
   * For the drain thread: takes the lock with the gate open, for one commit with its definitions;
   * {@link #leave} must follow.
   *
   * @return the chunk's number, or 0 if {@code enabled} says that JFR does not record; the lock is
   *     not held then
   */
  int enter(BooleanSupplier enabled) {
    lock.lock();
    if (!closed) {
      return chunk;
    }
    long deadline = System.nanoTime() + OPEN_NANOS;
    while (closed) {
      if (!enabled.getAsBoolean()) {
        lock.unlock();
        return 0;
      }
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        forcedOpenings++;
        chunk++;
        closed = false;
        break;
      }
      try {
        // Also by polling: a hook that could not take the lock opens the gate without a signal.
        long slept = opened.awaitNanos(Math.min(left, LOOK_NANOS));
        assert slept <= LOOK_NANOS;
      } catch (InterruptedException e) {
        lock.unlock();
        Thread.currentThread().interrupt();
        return 0;
      }
    }
    return chunk;
  }

  /**
   * For the drain thread, before {@link #leave}: whether a rotation has begun or happened since
   * {@link #enter} returned {@code entered}.
   */
  boolean isTorn(int entered) {
    return closed || chunk != entered;
  }

  /** For the drain thread: starts a new chunk number, so that definitions are emitted again. */
  void nextChunkNumber() {
    lock.lock();
    try {
      chunk++;
    } finally {
      lock.unlock();
    }
  }

  /**
   * For the drain thread: takes the lock, whether the gate is open or not. {@link #leave} must
   * follow, and nothing may be committed.
   */
  void hold() {
    lock.lock();
  }

  void leave() {
    lock.unlock();
  }

  /** How often the gate was opened without the second hook. */
  long forcedOpenings() {
    return forcedOpenings;
  }

  /** How many rotations did not wait for the flush to end. */
  long lateFlushes() {
    return lateFlushes;
  }

  /**
   * How many chunks ended while the drain thread had the lock and was not scheduled: definitions of
   * such a chunk may be in the next one.
   */
  long missedEnds() {
    return missedEnds;
  }
}
