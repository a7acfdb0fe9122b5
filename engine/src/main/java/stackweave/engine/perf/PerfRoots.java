package stackweave.engine.perf;

import java.util.Arrays;
import stackweave.unwind.hash.LongIndex;

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

  /** Positions of threads on CPUs. */
  private final LongIndex index = new LongIndex();

  /** 0 where none is chosen. */
  private long[] roots = new long[index.capacity()];

  private int lastExited;
  private final int[] cpus;

  /** For threads on these CPUs. */
  PerfRoots(int[] cpus) {
    this.cpus = cpus;
  }

  /** Whether a record of {@code tid} on {@code cpu} counts already by another root event. */
  boolean isDuplicate(int tid, int cpu, long root) {
    int position = position(tid, cpu);
    if (roots[position] == 0) {
      roots[position] = root;
    }
    return roots[position] != root;
  }

  /** How many threads have left records, each counted once for every CPU. */
  int count() {
    return index.count();
  }

  /** The position of a thread on a CPU, which is added where it is missing. */
  private int position(int tid, int cpu) {
    long key = key(tid, cpu);
    int known = index.find(key);
    if (known != LongIndex.NONE) {
      return known;
    }
    if (index.count() >= MAX) {
      index.clear();
    }
    int position = index.add(key);
    if (roots.length < index.capacity()) {
      roots = Arrays.copyOf(roots, index.capacity());
    }
    roots[position] = 0;
    return position;
  }

  /** A thread with this id was started: whoever had the id before is gone. */
  void started(int tid) {
    forget(tid);
    lastExited = lastExited == tid ? 0 : lastExited;
  }

  /** On how many CPUs a thread has left records. */
  int cpusOf(int tid) {
    int found = 0;
    for (int cpu : cpus) {
      int position = index.find(key(tid, cpu));
      found += position != LongIndex.NONE ? 1 : 0;
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
      index.remove(key(tid, cpu));
    }
  }

  private static long key(int tid, int cpu) {
    return (long) tid << 16 | cpu;
  }
}
