package stackweave.agent.decode.thread;

import java.lang.ref.WeakReference;
import stackweave.unwind.hash.LongTable;

/**
 * The threads met in samples or named by the kernel, by OS thread id. Ids of exited threads are
 * forgotten at once, because the OS uses them again. Bounded, because exits may get lost: when it
 * is full it forgets all.
 *
 * <p>For the drain thread only.
 */
public final class SampledThreads {

  /** One thread as recordings know it. */
  public static final class Entry {
    final int tid;

    /** Id in the recording; a thread that is renamed gets a new one. */
    long threadId;

    String name = "";

    /** Whether the name is Java's rather than the OS's, which cuts at 15 characters. */
    boolean fromJava;

    /** Whether a sample of it was met; before that, only the kernel's name for it is known. */
    boolean isMet;

    /** The number of listings of Java threads when it was met. */
    int addedAfter;

    /** Null where the thread is none of this process's Java threads. */
    WeakReference<Thread> javaThread;

    /** What {@code getId()} gives of its Java thread; 0 for none. */
    long javaId;

    /** Whether the thread carries virtual threads: then a cut stack is one of theirs. */
    boolean runsVirtualThreads;

    /** The first address above the thread's stack; 0 where unknown. */
    public long stackEnd;

    /** Address of its JavaThread, which may have ended since; 0 where unknown. */
    public long vmThread;

    Entry(int tid) {
      this.tid = tid;
    }

    /** The recording's id of the OS thread; a thread that is renamed gets a new one. */
    public long threadId() {
      return threadId;
    }

    /** Its name: Java's, or the OS's. */
    public String name() {
      return name;
    }

    /** Whether Java code can see it, as {@link Thread}. */
    public boolean isJava() {
      return fromJava;
    }

    /** Whether virtual threads may run on it. */
    public boolean isCarrier() {
      return runsVirtualThreads;
    }

    /** The Java thread, or null where it is none, has ended, or is not yet known. */
    Thread thread() {
      return javaThread == null ? null : javaThread.get();
    }
  }

  /** Most threads; more are not sampled at a time. */
  static final int MAX = 1 << 15;

  private static final int FIRST_SLOTS = 256;

  private final LongTable<Entry> entries = new LongTable<>(FIRST_SLOTS, MAX);

  /** The thread's entry, or null. */
  Entry find(int tid) {
    return entries.get(tid);
  }

  /** Adds a thread that {@link #find} did not find. */
  Entry add(int tid) {
    Entry entry = new Entry(tid);
    entries.put(tid, entry);
    return entry;
  }

  /** Forgets a thread that has exited. */
  void remove(int tid) {
    entries.remove(tid);
  }

  /** Forgets all. */
  void clear() {
    entries.clear();
  }
}
