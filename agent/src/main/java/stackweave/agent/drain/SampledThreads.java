package stackweave.agent.drain;

import java.lang.ref.WeakReference;
import java.util.Arrays;

/**
 * The threads met in samples, by OS thread id: open addressing over primitive keys, since every
 * sample asks. Ids of exited threads are forgotten at once, because the OS uses them again.
 *
 * <p>For the drain thread only.
 */
final class SampledThreads {

  /** One thread as recordings know it. */
  static final class Entry {
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
    long stackEnd;

    Entry(int tid) {
      this.tid = tid;
    }

    /** The Java thread, or null where it is none, has ended, or is not yet known. */
    Thread thread() {
      return javaThread == null ? null : javaThread.get();
    }
  }

  private Entry[] table = new Entry[256];
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
    if (2 * ++size > table.length) {
      rebuild(2 * table.length, 0);
    }
    Entry entry = new Entry(tid);
    insert(table, entry);
    return entry;
  }

  /** Forgets a thread that has exited. */
  void remove(int tid) {
    if (find(tid) != null) {
      size--;
      rebuild(table.length, tid);
    }
  }

  private void rebuild(int capacity, int without) {
    Entry[] old = table;
    table = new Entry[capacity];
    for (Entry entry : old) {
      if (entry != null && entry.tid != without) {
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
    Arrays.fill(table, null);
    size = 0;
  }
}
