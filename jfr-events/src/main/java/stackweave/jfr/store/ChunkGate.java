package stackweave.jfr.store;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps every sample in the same chunk as its definitions: the drain thread commits them only under
 * the gate's lock while it is open. JFR's hook before a rotation closes it, the one after opens it
 * with a new chunk number.
 *
 * <p>Before it closes, the first hook asks the drain thread to write what it still has and waits
 * for it, but not for long: it may be on an application's thread. A commit that was not waited for
 * is {@link #isTorn torn}: the next chunk may have its sample, so gets its definitions, too.
 */
final class ChunkGate {
  /**
   * The longest that a rotation waits for what the drain thread still has; when the JVM ends, for
   * all rotations together.
   */
  static final long FLUSH_NANOS = 60_000_000L;

  /** The thread that ends recordings when the JVM ends, on all JDKs. */
  static final String SHUTDOWN_HOOK = "JFR Shutdown Hook";

  /**
   * The longest that each of the two hooks waits, after that, for one commit that is under way:
   * microseconds, unless the drain thread was taken off its CPU. All three waits together are the
   * 100 ms that an application thread may lose.
   */
  static final long COMMIT_NANOS = 20_000_000L;

  /**
   * How long the drain thread waits for the second hook while JFR records. A rotation takes
   * milliseconds; if the hook never comes (its event type was disabled) samples that may lack
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

  /** Of {@link #FLUSH_NANOS}, what rotations have left as the JVM ends; its thread's alone. */
  private long lastPatience = FLUSH_NANOS;

  private volatile long forcedOpenings;
  private volatile long lateFlushes;

  /** The current thread is the drain thread; {@code wakeUp} makes it look at the gate soon. */
  void attach(Runnable wakeUp) {
    this.drain = Thread.currentThread();
    this.wakeUp = wakeUp;
  }

  /** There is no drain thread any more: rotations don't wait. */
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
   * First hook: asks for a flush, waits for it, closes.
   *
   * @return false if the drain thread did not answer in time
   */
  boolean chunkEnds() {
    boolean last = Thread.currentThread().getName().equals(SHUTDOWN_HOOK);
    long begin = System.nanoTime();
    long late = lateFlushes;
    boolean interrupted = awaitFlush(begin + (last ? lastPatience : FLUSH_NANOS));
    closed = true;
    if (last) {
      lastFlushed = true;
      lastPatience = Math.max(0, lastPatience - (System.nanoTime() - begin));
    }
    // A commit that is under way belongs to the chunk that ends.
    try {
      if (lock.tryLock(COMMIT_NANOS, TimeUnit.NANOSECONDS)) {
        lock.unlock();
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return late == lateFlushes;
  }

  /** Whether the JVM is about to end, and the drain thread was asked for all it has. */
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
      // An interrupted thread would not park: the interrupt is given back at the end.
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

  /** Second hook: a new chunk, and the gate is open. */
  void chunkBegins() {
    boolean locked = false;
    boolean interrupted = Thread.interrupted();
    try {
      locked = lock.tryLock(COMMIT_NANOS, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    chunk++;
    closed = false;
    if (locked) {
      opened.signalAll();
      lock.unlock();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Drain thread: takes the lock with the gate open, for one commit with its definitions, to be
   * followed by {@link #leave}.
   *
   * @return the chunk's number, or 0 if {@code enabled} says that JFR does not record; then the
   *     lock is not held
   */
  int enter(Recording enabled) {
    lock.lock();
    if (!closed) {
      return chunk;
    }
    long deadline = System.nanoTime() + OPEN_NANOS;
    while (closed) {
      if (!enabled.isEnabled()) {
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
        // By looks, too: a hook that could not take the lock opens without a signal.
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
   * Drain thread, before {@link #leave}: whether chunks were rotated, or are about to be, since it
   * entered with {@code entered}.
   */
  boolean isTorn(int entered) {
    return closed || chunk != entered;
  }

  /** Drain thread: what was emitted so far counts no more. */
  void nextChunkNumber() {
    lock.lock();
    try {
      chunk++;
    } finally {
      lock.unlock();
    }
  }

  void leave() {
    lock.unlock();
  }

  /** How often the gate was opened because the second hook did not come. */
  long forcedOpenings() {
    return forcedOpenings;
  }

  /** How many rotations did not wait for the end of the flush. */
  long lateFlushes() {
    return lateFlushes;
  }

  /** Whether JFR records the samples at all. */
  interface Recording {
    boolean isEnabled();
  }
}
