package stackweave.jfr.store;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import stackweave.unwind.hash.HashIndex;

/**
 * The threads that were sampled. OS thread ids are reused, names change, and an OS thread carries
 * many virtual ones, so a key stands for one combination of these. Not thread-safe.
 */
final class ThreadTable {
  /**
   * A thread as it was when the key was given.
   *
   * @param reference to the Java thread; null where it is not known
   * @param carrier the thread that carries this one, as it is known itself; null where there is
   *     none
   */
  record Entry(
      long key,
      long tid,
      String name,
      long javaId,
      boolean virtual,
      long carrierId,
      WeakReference<Thread> reference,
      Entry carrier) {
    private boolean is(
        long tid, String name, long javaId, boolean virtual, long carrierId, Thread thread) {
      return this.tid == tid
          && this.javaId == javaId
          && this.virtual == virtual
          && this.carrierId == carrierId
          && this.name.equals(name)
          && thread() == thread;
    }

    Thread thread() {
      return reference == null ? null : reference.get();
    }
  }

  private static final int FIRST_CAPACITY = 128;

  private List<Entry> entries = new ArrayList<>();

  /** Number of the last chunk that has the definition, by the index of an entry. */
  private int[] emitted = new int[FIRST_CAPACITY];

  private long firstKey = 1;

  /** Finds entries by the numbers of a thread, without boxing them. */
  private final HashIndex index = new HashIndex(FIRST_CAPACITY);

  long intern(long tid, String name, long javaId, boolean virtual, long carrierId, Thread thread) {
    int hash = hash(tid, javaId, virtual);
    for (int slot = index.first(hash); slot != HashIndex.NONE; slot = index.next(slot)) {
      Entry known = entries.get(index.at(slot));
      if (known.is(tid, name, javaId, virtual, carrierId, thread)) {
        return known.key;
      }
    }
    Entry entry =
        new Entry(
            firstKey + entries.size(),
            tid,
            name,
            javaId,
            virtual,
            carrierId,
            thread == null ? null : new WeakReference<>(thread),
            virtual ? newest(tid, carrierId) : null);
    index.add(hash, entries.size());
    if (entries.size() == emitted.length) {
      emitted = Arrays.copyOf(emitted, 2 * emitted.length);
    }
    entries.add(entry);
    return entry.key;
  }

  /** The platform thread with these ids; if it was renamed, the entry added last. */
  private Entry newest(long tid, long javaId) {
    Entry newest = null;
    int hash = hash(tid, javaId, false);
    for (int slot = index.first(hash); slot != HashIndex.NONE; slot = index.next(slot)) {
      Entry entry = entries.get(index.at(slot));
      boolean wanted = entry.tid == tid && entry.javaId == javaId && !entry.virtual;
      if (wanted && (newest == null || entry.key > newest.key)) {
        newest = entry;
      }
    }
    return newest;
  }

  private static int hash(long tid, long javaId, boolean virtual) {
    long hash = (tid * 0x9E3779B97F4A7C15L + 2 * javaId + (virtual ? 1 : 0)) * 0xC2B2AE3D27D4EB4FL;
    return (int) (hash >>> 32);
  }

  /** The thread of a key of this generation, null for any other key. */
  Entry get(long key) {
    long position = key - firstKey;
    return position >= 0 && position < entries.size() ? entries.get((int) position) : null;
  }

  /** Whether a thread must be defined in {@code chunk}; marks it as defined. */
  boolean claim(Entry thread, int chunk) {
    int position = (int) (thread.key - firstKey);
    boolean isNew = emitted[position] != chunk;
    emitted[position] = chunk;
    return isNew;
  }

  int count() {
    return entries.size();
  }

  /** Forgets all threads; keys continue. */
  void clear() {
    firstKey += entries.size();
    entries = new ArrayList<>();
    emitted = new int[FIRST_CAPACITY];
    index.clear();
  }
}
