package stackweave.jfr.store;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The threads that were sampled. OS thread ids are reused and names change, so a key stands for one
 * combination of all that is known of a thread. Not thread-safe.
 */
final class ThreadTable {
  /** A thread as it was when the key was given. */
  static final class Entry {
    final long key;
    final long tid;
    final String name;
    final long javaId;
    final boolean virtual;
    final long carrierId;
    final WeakReference<Thread> thread;
    int emitted;

    Entry(
        long key,
        long tid,
        String name,
        long javaId,
        boolean virtual,
        long carrierId,
        Thread thread) {
      this.key = key;
      this.tid = tid;
      this.name = name;
      this.javaId = javaId;
      this.virtual = virtual;
      this.carrierId = carrierId;
      this.thread = thread == null ? null : new WeakReference<>(thread);
    }

    boolean is(String name, long javaId, boolean virtual, long carrierId, Thread thread) {
      return this.javaId == javaId
          && this.virtual == virtual
          && this.carrierId == carrierId
          && this.name.equals(name)
          && thread() == thread;
    }

    Thread thread() {
      return thread == null ? null : thread.get();
    }
  }

  private final Map<Long, Entry> newest = new HashMap<>();
  private final List<Entry> entries = new ArrayList<>();
  private long firstKey = 1;

  /** By the low bits of the tid: the entry used last, to spare the map its boxes. */
  private final Entry[] recent = new Entry[256];

  long intern(long tid, String name, long javaId, boolean virtual, long carrierId, Thread thread) {
    int slot = (int) tid & (recent.length - 1);
    Entry entry = recent[slot];
    if (entry != null && entry.tid == tid && entry.is(name, javaId, virtual, carrierId, thread)) {
      return entry.key;
    }
    entry = newest.get(tid);
    if (entry == null || !entry.is(name, javaId, virtual, carrierId, thread)) {
      entry = new Entry(firstKey + entries.size(), tid, name, javaId, virtual, carrierId, thread);
      entries.add(entry);
      newest.put(tid, entry);
    }
    recent[slot] = entry;
    return entry.key;
  }

  /** The thread of a key of this generation, null for any other key. */
  Entry get(long key) {
    long index = key - firstKey;
    return index >= 0 && index < entries.size() ? entries.get((int) index) : null;
  }

  int count() {
    return entries.size();
  }

  /** Forgets all threads; the keys go on. */
  void clear() {
    firstKey += entries.size();
    entries.clear();
    newest.clear();
    Arrays.fill(recent, null);
  }
}
