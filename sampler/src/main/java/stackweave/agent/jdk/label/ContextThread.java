package stackweave.agent.jdk.label;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;

/**
 * The last changes of a thread's scope, with their times. Written by that thread, with no lock and
 * no wait; read by the drain thread. It runs as a copy in java.lang.
 *
 * <p>Memory ordering: a change is written before the count that includes it, and the oldest one is
 * overwritten after the count that excludes it. A reader compares the count before and after.
 */
final class ContextThread {
  /** How long a thread is remembered after it was seen to have ended, in ns. */
  private static final long GONE_NANOS = 10_000_000_000L;

  private static final VarHandle COUNT = count();

  private final WeakReference<Thread> thread;
  private final long[] times;

  /** The scope from that time on; null for none. */
  private final ContextScope[] scopes;

  /** The number of changes so far. */
  private volatile long count;

  /** When it was seen to have ended; 0 before. For the drain thread. */
  private long goneNanos;

  /**
   * @param history how many changes are remembered, a power of two
   */
  ContextThread(Thread thread, int history) {
    this.thread = new WeakReference<>(thread);
    this.times = new long[history];
    this.scopes = new ContextScope[history];
  }

  private static VarHandle count() {
    try {
      return MethodHandles.lookup().findVarHandle(ContextThread.class, "count", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  boolean isOf(Thread other) {
    return thread.refersTo(other);
  }

  /** Null if it is garbage. */
  Thread thread() {
    return thread.get();
  }

  boolean isAlive() {
    Thread known = thread.get();
    return known != null && known.isAlive();
  }

  /** Whether it ended some time ago, as far as earlier calls have seen. */
  boolean isLongGone() {
    if (isAlive()) {
      return false;
    }
    long now = System.nanoTime();
    if (goneNanos == 0) {
      goneNanos = now;
    }
    return now - goneNanos > GONE_NANOS;
  }

  /** Opens a scope; on the thread itself. */
  ContextScope open(String[] labels, int period) {
    ContextScope scope = new ContextScope(this, unclosed(current()), labels, period);
    change(scope);
    return scope;
  }

  /** Ends a scope that is marked as closed; on any thread. */
  void close(ContextScope scope) {
    if (isOf(Thread.currentThread()) && scope == current()) {
      change(unclosed(scope.outer));
    } else {
      scope.isEndUnknown = true;
    }
  }

  /** The scope that the calling thread is in, of any period. */
  private ContextScope current() {
    long number = count;
    return number == 0 ? null : scopes[(int) (number - 1) & scopes.length - 1];
  }

  private static ContextScope unclosed(ContextScope scope) {
    ContextScope open = scope;
    while (open != null && open.isClosed) {
      open = open.outer;
    }
    return open;
  }

  private void change(ContextScope to) {
    long number = count;
    int at = (int) number & times.length - 1;
    // Read first: a sample that is taken before this instruction has an earlier time.
    times[at] = System.nanoTime();
    scopes[at] = to;
    COUNT.setRelease(this, number + 1);
    VarHandle.storeStoreFence(); // before the next change overwrites the oldest one
  }

  /** As {@link Contexts#at}; for the drain thread. */
  Object at(long nanos, long errorNanos, int period) {
    long first = (long) COUNT.getAcquire(this);
    long oldest = Math.max(0, first - times.length);
    long next = first;
    boolean isClear = true;
    while (next > oldest && times[(int) (next - 1) & times.length - 1] - nanos > 0) {
      next--;
      isClear = times[(int) next & times.length - 1] - nanos > errorNanos;
    }
    ContextScope scope = null;
    if (next > oldest) {
      int at = (int) (next - 1) & times.length - 1;
      scope = scopes[at];
      isClear &= nanos - times[at] > errorNanos;
    } else if (oldest > 0) {
      return Contexts.UNKNOWN;
    }
    VarHandle.acquireFence();
    long last = (long) COUNT.getAcquire(this);
    if (!isClear || last - next + 1 >= times.length) {
      return Contexts.UNKNOWN;
    }
    if (scope == null) {
      return null;
    }
    // The thread ended within a scope: its id in the OS may be another's by now.
    return scope.period != period || next == last && !isAlive() ? Contexts.UNKNOWN : scope;
  }
}
