package stackweave.agent.drain;

import java.lang.ref.WeakReference;
import stackweave.agent.linux.Tasks;
import stackweave.jfr.store.EventStore;

/**
 * Whose a sample is: the recording's id of an OS thread, with the name that Java gives it, or else
 * the kernel.
 *
 * <p>The Java threads are looked through when an unknown thread turns up, though not for each of a
 * storm of them, and every few seconds, since pools rename their threads. For the drain thread
 * only.
 */
final class ThreadNames {
  private static final long STORM_NANOS = 20_000_000L;
  private static final long RENAME_NANOS = 2_000_000_000L;

  private final EventStore store;
  private final JavaThreadFinder finder;
  private final SampledThreads threads = new SampledThreads();
  private long lookedAt;
  private boolean looked;

  /**
   * @param finder null where Java threads can't be found: all then have the names of the OS
   */
  ThreadNames(EventStore store, JavaThreadFinder finder) {
    this.store = store;
    this.finder = finder;
  }

  /** Forgets all ids of the store, whose generation has changed. */
  void forget() {
    threads.clear();
  }

  /** A thread has ended: its id may be another's from now on. */
  void exited(int tid) {
    threads.remove(tid);
  }

  /** A thread that has no Java name has this one. */
  void renamed(int tid, String comm) {
    SampledThreads.Entry entry = threads.find(tid);
    if (entry != null && !entry.fromJava) {
      define(entry, comm, null);
    }
  }

  /** The thread of a sample, with an id; allocates nothing for one met before. */
  SampledThreads.Entry find(int tid) {
    SampledThreads.Entry entry = threads.find(tid);
    long now = System.nanoTime();
    boolean due = !looked || now - lookedAt > (entry == null ? STORM_NANOS : RENAME_NANOS);
    if (entry == null) {
      entry = threads.add(tid);
    }
    if (due && finder != null) {
      looked = true;
      lookedAt = now;
      finder.forEach(this::seen);
    }
    if (entry.threadId == 0) {
      define(entry, Tasks.comm(tid), null);
    }
    return entry;
  }

  private void seen(int tid, Thread thread, long stackEnd) {
    SampledThreads.Entry entry = threads.find(tid);
    if (entry != null) {
      entry.stackEnd = stackEnd;
    }
    if (entry != null && (entry.thread() != thread || !entry.name.equals(thread.getName()))) {
      define(entry, thread.getName(), thread);
    }
  }

  private void define(SampledThreads.Entry entry, String name, Thread thread) {
    entry.name = name == null || name.isEmpty() ? "thread " + entry.tid : name;
    entry.fromJava = thread != null;
    entry.javaThread = thread == null ? null : new WeakReference<>(thread);
    long javaId = thread == null ? 0 : javaId(thread);
    entry.threadId = store.thread(entry.tid, entry.name, javaId, false, 0, thread);
  }

  /** threadId() of JDK 19 can't be named by bytecode for 17. */
  @SuppressWarnings("deprecation")
  private static long javaId(Thread thread) {
    return thread.getId();
  }
}
