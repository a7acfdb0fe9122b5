package stackweave.agent.engine.perf;

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
  private static final int MAX = 1 << 18;

  private static final int MIN_SLOTS = 1024;

  /** Thread and CPU → root event, by open addressing; no key is 0, since no thread is. */
  private long[] keys = new long[MIN_SLOTS];

  /** 0 where none is chosen. */
  private long[] roots = new long[MIN_SLOTS];

  /** The root of an event that comes more often than those, 0 where there is none. */
  private long[] preferred = new long[MIN_SLOTS];

  private int count;
  private int lastExited;
  private final int[] cpus;

  /** For threads on these CPUs. */
  PerfRoots(int[] cpus) {
    this.cpus = cpus;
  }

  /** What a sample of an event that is preferred is to the samples of its thread on its CPU. */
  enum Preferred {
    /** From here on the thread is sampled by this event. */
    FIRST,
    /** It is sampled by this event already. */
    NEXT,
    /** It is sampled by another one that is preferred. */
    DUPLICATE
  }

  /** Whether a record of {@code tid} on {@code cpu} counts already by another root event. */
  boolean isDuplicate(int tid, int cpu, long root) {
    int slot = slot(tid, cpu);
    if (roots[slot] == 0) {
      roots[slot] = root;
    }
    return roots[slot] != root;
  }

  /** The same of a sample, which counts by an event that is preferred, too. */
  boolean isDuplicateSample(int tid, int cpu, long root) {
    return isDuplicate(tid, cpu, root) || preferred[slot(tid, cpu)] != 0;
  }

  /** A sample of an event that counts before all others. */
  Preferred prefer(int tid, int cpu, long root) {
    int slot = slot(tid, cpu);
    if (preferred[slot] == 0) {
      preferred[slot] = root;
      return Preferred.FIRST;
    }
    return preferred[slot] == root ? Preferred.NEXT : Preferred.DUPLICATE;
  }

  /** No event is preferred from here on. */
  void preferNone() {
    Arrays.fill(preferred, 0);
  }

  /** How many threads have left records, each counted once for every CPU. */
  int count() {
    return count;
  }

  /** The slot of the key, which is added where it is missing. */
  private int slot(int tid, int cpu) {
    long key = key(tid, cpu);
    int slot = find(key);
    if (keys[slot] == key) {
      return slot;
    }
    if (2 * (count + 1) > keys.length) {
      makeRoom();
      slot = find(key);
    }
    keys[slot] = key;
    roots[slot] = 0;
    preferred[slot] = 0;
    count++;
    return slot;
  }

  private void makeRoom() {
    if (count >= MAX) {
      Arrays.fill(keys, 0);
      count = 0;
    } else {
      grow();
    }
  }

  /** A thread with this id was started: whoever had the id before is gone. */
  void started(int tid) {
    forget(tid);
    lastExited = lastExited == tid ? 0 : lastExited;
  }

  /** On how many CPUs a thread has left records and no event is preferred. */
  int cpusOf(int tid) {
    int found = 0;
    for (int cpu : cpus) {
      long key = key(tid, cpu);
      int slot = find(key);
      found += keys[slot] == key && preferred[slot] == 0 ? 1 : 0;
    }
    return found;
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
    Arrays.fill(roots, 0);
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
        preferred[gap] = preferred[i];
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
    long[] oldPreferred = preferred;
    keys = new long[2 * oldKeys.length];
    roots = new long[keys.length];
    preferred = new long[keys.length];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != 0) {
        int slot = find(oldKeys[i]);
        keys[slot] = oldKeys[i];
        roots[slot] = oldRoots[i];
        preferred[slot] = oldPreferred[i];
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
