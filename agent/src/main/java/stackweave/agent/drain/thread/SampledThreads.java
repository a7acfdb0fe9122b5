package stackweave.agent.drain.thread;

import java.lang.ref.WeakReference;
import java.util.Arrays;

/**
 * The threads met in samples, by OS thread id: open addressing over primitive keys, since every
 * sample asks. Ids of exited threads are forgotten at once, because the OS uses them again.
 * Bounded, should exits get lost: when it is full it forgets all.
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

    /** Whether the Java threads were looked through for it. */
    boolean lookedFor;

    WeakReference<Thread> javaThread;

    /**
     * Whether the thread carries virtual threads: a stack that is cut off is one of theirs then.
     */
    boolean runsVirtualThreads;

    /** The first address above the thread's stack; 0 where unknown. */
    public long stackEnd;

    Entry(int tid) {
      this.tid = tid;
    }

    /** The Java thread, or null where it is none, has ended, or is not yet known. */
    Thread thread() {
      return javaThread == null ? null : javaThread.get();
    }
  }

  /** More threads than that are not sampled at a time. */
  static final int MAX = 1 << 15;

  private static final int MIN_SLOTS = 256;

  private Entry[] table = new Entry[MIN_SLOTS];
  private int size;

  /** The thread's entry, or null. */
  Entry find(int tid) {
    int mask = table.length - 1;
    for (int i = slot(tid, mask); table[i] != null; i = (i + 1) & mask) {
      if (table[i].tid == tid) {
        return table[i];
      }
    }
    return null;
  }

  /** Adds a thread that {@link #find} did not find. */
  Entry add(int tid) {
    if (size == MAX) {
      clear();
    }
    if (2 * ++size > table.length) {
      grow();
    }
    Entry entry = new Entry(tid);
    insert(table, entry);
    return entry;
  }

  /** Forgets a thread that has exited. */
  void remove(int tid) {
    int mask = table.length - 1;
    int gap = slot(tid, mask);
    while (table[gap] != null && table[gap].tid != tid) {
      gap = (gap + 1) & mask;
    }
    if (table[gap] == null) {
      return;
    }
    size--;
    // An entry behind the gap that was kept from its own slot moves up.
    for (int i = (gap + 1) & mask; table[i] != null; i = (i + 1) & mask) {
      int home = slot(table[i].tid, mask);
      if (((i - home) & mask) >= ((i - gap) & mask)) {
        table[gap] = table[i];
        gap = i;
      }
    }
    table[gap] = null;
  }

  private void grow() {
    Entry[] old = table;
    table = new Entry[2 * old.length];
    for (Entry entry : old) {
      if (entry != null) {
        insert(table, entry);
      }
    }
  }

  private static void insert(Entry[] table, Entry entry) {
    int mask = table.length - 1;
    int i = slot(entry.tid, mask);
    while (table[i] != null) {
      i = (i + 1) & mask;
    }
    table[i] = entry;
  }

  private static int slot(int tid, int mask) {
    return (tid * 0x9E3779B9 >>> 7) & mask;
  }

  /** Forgets all. */
  void clear() {
    if (table.length > MIN_SLOTS) {
      table = new Entry[MIN_SLOTS];
    } else {
      Arrays.fill(table, null);
    }
    size = 0;
  }
}
