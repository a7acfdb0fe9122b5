package stackweave.agent.jdk.label;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;

/**
 * Opens scopes for {@code StackweaveContext}, and tells the drain thread which scope a thread was
 * in at a time. It runs as a copy in java.lang, as {@link ContextThread} and {@link ContextScope}
 * do, so that the application's classes reach it without a class of the agent. All three must use
 * nothing outside java.base. The copies stay when the agent is detached.
 *
 * <p>A platform thread takes one of {@link #PROBES} places among {@link #PLATFORM}; without a free
 * one it has no labels. A virtual thread has one place by its id, and may lose it to a thread that
 * was made {@link #VIRTUAL} threads later: then it has none until it opens another scope.
 */
public final class Contexts implements Function<String[], Runnable> {
  /** What {@code StackweaveContext} calls; it has only types of the JDK. */
  public static final Function<String[], Runnable> OPEN = new Contexts();

  /** Whether classes that were loaded earlier have got {@link #OPEN}. */
  static final AtomicBoolean IS_TOLD = new AtomicBoolean();

  /** The last key of {@link ContextScope#note} that was given out. */
  static final AtomicLong KEYS = new AtomicLong();

  /** Stands for a scope that is not known. */
  static final Object UNKNOWN = new Object();

  /** Its element: whether any scope was ever opened while samples were taken. */
  static final boolean[] USED = new boolean[1];

  static final int PLATFORM = 1 << 13;
  static final int VIRTUAL = 1 << 14;
  static final int PROBES = 8;

  /** The number of a thread's changes of scope that are remembered. */
  static final int PLATFORM_HISTORY = 256;

  static final int VIRTUAL_HISTORY = 16;

  /** Has null until a platform thread opens a scope: the table takes 32 KiB. */
  private static final AtomicReference<AtomicReferenceArray<ContextThread>> THREADS =
      new AtomicReference<>();

  /** Has null until a virtual thread opens a scope. */
  private static final AtomicReference<AtomicReferenceArray<ContextThread>> VIRTUAL_THREADS =
      new AtomicReference<>();

  /** The virtual threads that opened a scope last, by number; all null until one does. */
  static final int RECENT = 128;

  private static final AtomicReferenceArray<ContextThread> RECENT_THREADS =
      new AtomicReferenceArray<>(RECENT);

  /** How many virtual threads have opened their first scope. */
  static final AtomicLong RECENT_COUNT = new AtomicLong();

  /**
   * {@code Thread.tid}, which {@code getId} need not return before JDK 19; null outside java.lang.
   */
  private static final VarHandle ID = id();

  /** Null before JDK 21. */
  private static final Class<?> VIRTUAL_THREAD = virtualThread();

  /** The number of the period of sampling; 0 while no samples are taken. */
  private static volatile int period;

  private static int periods;

  private Contexts() {}

  private static VarHandle id() {
    try {
      return MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup())
          .findVarHandle(Thread.class, "tid", long.class);
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null;
    }
  }

  /** A number of a thread that never changes; an identity hash is slow for a locked object. */
  private static int number(Thread thread) {
    return ID == null ? (int) thread.getId() : (int) (long) ID.get(thread);
  }

  private static Class<?> virtualThread() {
    try {
      return Class.forName("java.lang.VirtualThread", false, null);
    } catch (ClassNotFoundException | LinkageError e) {
      return null;
    }
  }

  /**
   * Opens a scope of the current thread; on that thread.
   *
   * @param labels keys and values
   * @return what ends it; null if no samples are taken, or there is no room for the thread
   */
  @Override
  public Runnable apply(String[] labels) {
    int now = period;
    if (now == 0 || labels == null) {
      return null;
    }
    Thread current = Thread.currentThread();
    ContextThread thread = find(current);
    if (thread == null) {
      thread = add(current);
      if (thread == null) {
        return null;
      }
    }
    return thread.open(labels, now);
  }

  /** What is known of a thread; null for nothing. Any thread. */
  private static ContextThread find(Thread thread) {
    if (thread.getClass() == VIRTUAL_THREAD) {
      AtomicReferenceArray<ContextThread> table = VIRTUAL_THREADS.get();
      ContextThread found = table == null ? null : table.get(number(thread) & VIRTUAL - 1);
      return found != null && found.isOf(thread) ? found : null;
    }
    AtomicReferenceArray<ContextThread> table = THREADS.get();
    if (table == null) {
      return null;
    }
    int first = number(thread);
    for (int probe = 0; probe < PROBES; probe++) {
      ContextThread found = table.get(first + probe & PLATFORM - 1);
      if (found != null && found.isOf(thread)) {
        return found;
      }
    }
    return null;
  }

  private static ContextThread add(Thread thread) {
    USED[0] = true;
    if (thread.getClass() == VIRTUAL_THREAD) {
      ContextThread added = new ContextThread(thread, VIRTUAL_HISTORY);
      table(VIRTUAL_THREADS, VIRTUAL).set(number(thread) & VIRTUAL - 1, added);
      // The drain thread may read between the two, and miss this one.
      RECENT_THREADS.set((int) RECENT_COUNT.getAndIncrement() & RECENT - 1, added);
      return added;
    }
    ContextThread added = new ContextThread(thread, PLATFORM_HISTORY);
    return addTo(table(THREADS, PLATFORM), number(thread), added) ? added : null;
  }

  /** Takes a free place, or else one of a thread that has ended. */
  private static boolean addTo(
      AtomicReferenceArray<ContextThread> table, int first, ContextThread added) {
    for (int pass = 0; pass < 2; pass++) {
      for (int probe = 0; probe < PROBES; probe++) {
        int place = first + probe & PLATFORM - 1;
        ContextThread there = table.get(place);
        if ((there == null || pass == 1 && !there.isAlive())
            && table.compareAndSet(place, there, added)) {
          return true;
        }
      }
    }
    return false;
  }

  private static AtomicReferenceArray<ContextThread> table(
      AtomicReference<AtomicReferenceArray<ContextThread>> tables, int places) {
    AtomicReferenceArray<ContextThread> table = tables.get();
    if (table == null) {
      // Several threads may make one; the first one is used.
      AtomicReferenceArray<ContextThread> made = new AtomicReferenceArray<>(places);
      table = tables.compareAndExchange(null, made);
      table = table == null ? made : table;
    }
    return table;
  }

  // ---- for the drain thread, through ContextHook

  /** Begins a new period of sampling: scopes of earlier periods do not count any more. */
  static synchronized void begin() {
    periods++;
    period = periods;
  }

  /** No samples are taken: scopes do nothing, and open ones are forgotten. */
  static synchronized void end() {
    period = 0;
    THREADS.set(null);
    VIRTUAL_THREADS.set(null);
    for (int i = 0; i < RECENT; i++) {
      RECENT_THREADS.set(i, null);
    }
  }

  /**
   * A virtual thread that opened its first scope.
   *
   * @param number its number in that order; only the last {@link #RECENT} are there
   * @return null if it is garbage, or is not known
   */
  static Thread recent(long number) {
    ContextThread found = RECENT_THREADS.get((int) number & RECENT - 1);
    return found == null ? null : found.thread();
  }

  /** Forgets threads some time after their end, when their last samples are decoded. */
  static void sweep() {
    sweep(THREADS.get());
    sweep(VIRTUAL_THREADS.get());
  }

  private static void sweep(AtomicReferenceArray<ContextThread> table) {
    if (table == null) {
      return;
    }
    for (int i = 0; i < table.length(); i++) {
      ContextThread thread = table.get(i);
      if (thread != null && thread.isLongGone()) {
        table.compareAndSet(i, thread, null);
      }
    }
  }

  /**
   * The scope that a thread was in.
   *
   * @param nanos when, on the clock of {@link System#nanoTime}
   * @param errorNanos by how much that may be wrong
   * @return a scope, null for none, or {@link #UNKNOWN}
   */
  static Object at(Thread thread, long nanos, long errorNanos) {
    ContextThread found = find(thread);
    return found == null ? null : found.at(nanos, errorNanos, period);
  }
}
