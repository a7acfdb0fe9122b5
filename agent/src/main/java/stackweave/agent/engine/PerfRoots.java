package stackweave.agent.engine;

import java.util.Arrays;

/**
 * Tells records that come twice: of all records of one thread on one CPU, those of one root event
 * count.
 *
 * <p>A thread that is started while we are attaching inherits the events of the thread that starts
 * it, and is then found and attached itself; what it starts inherits both. Each record says from
 * which root event it stems. Which one is first seen is as good as any other: an event that a
 * thread has on a CPU sees all of it there. A thread's choice ends with it, for its id is used
 * again.
 */
final class PerfRoots {
  /** Should exits get lost in masses, better forget all than grow without end. */
  private static final int MOST = 1 << 20;

  private static final int LEAST_SLOTS = 1024;

  /** Thread and CPU → root event, by open addressing; no key is 0, since no thread is. */
  private long[] keys = new long[LEAST_SLOTS];

  private long[] roots = new long[LEAST_SLOTS];
  private int count;
  private int lastExited;
  private final int[] cpus;

  /** For threads on these CPUs. */
  PerfRoots(int[] cpus) {
    this.cpus = cpus;
  }

  /** Whether a record of {@code tid} on {@code cpu} counts already by another root event. */
  boolean isDuplicate(int tid, int cpu, long root) {
    long key = key(tid, cpu);
    int slot = find(key);
    if (keys[slot] == key) {
      return roots[slot] != root;
    }
    if (2 * (count + 1) > keys.length) {
      if (count >= MOST) {
        clear();
      } else {
        grow();
      }
      slot = find(key);
    }
    keys[slot] = key;
    roots[slot] = root;
    count++;
    return false;
  }

  /** A thread with this id was started: whoever had the id before is gone. */
  void started(int tid) {
    forget(tid);
    lastExited = lastExited == tid ? 0 : lastExited;
  }

  /** A thread has ended; false if that is known. */
  boolean exited(int tid) {
    forget(tid);
    boolean news = lastExited != tid;
    lastExited = tid;
    return news;
  }

  /** Records were lost, exits perhaps among them: choose anew. */
  void clear() {
    Arrays.fill(keys, 0);
    count = 0;
  }

  private void forget(int tid) {
    for (int cpu : cpus) {
      long key = key(tid, cpu);
      int slot = find(key);
      if (keys[slot] == key) {
        remove(slot);
      }
    }
  }

  /** Closes the gap: an entry behind it that it kept from its own slot moves up. */
  private void remove(int slot) {
    int mask = keys.length - 1;
    int gap = slot;
    for (int i = (slot + 1) & mask; keys[i] != 0; i = (i + 1) & mask) {
      int home = home(keys[i], mask);
      if (((i - home) & mask) >= ((i - gap) & mask)) {
        keys[gap] = keys[i];
        roots[gap] = roots[i];
        gap = i;
      }
    }
    keys[gap] = 0;
    count--;
  }

  /** The slot of the key, or the free one where it would go. */
  private int find(long key) {
    int mask = keys.length - 1;
    int slot = home(key, mask);
    while (keys[slot] != 0 && keys[slot] != key) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    long[] oldKeys = keys;
    long[] oldRoots = roots;
    keys = new long[2 * oldKeys.length];
    roots = new long[keys.length];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != 0) {
        int slot = find(oldKeys[i]);
        keys[slot] = oldKeys[i];
        roots[slot] = oldRoots[i];
      }
    }
  }

  private static long key(int tid, int cpu) {
    return (long) tid << 16 | cpu;
  }

  private static int home(long key, int mask) {
    return (int) (key * 0x9E3779B97F4A7C15L >>> 40) & mask;
  }
}
