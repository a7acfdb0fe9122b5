package stackweave.engine.perf;

import java.util.Arrays;
import stackweave.unwind.hash.LongIndex;

/**
 * Recognises duplicate records: of all records of one thread on one CPU, only those of one root
 * event count.
 *
 * <p>A thread that is started while the engine attaches threads inherits the events of its parent,
 * and is then found and attached itself; its children inherit both. Each record names its root
 * event. The one that is seen first is chosen, since any event of a thread on a CPU sees all of its
 * time there. The choice ends with the thread, because its id may be reused.
 */
final class PerfRoots {
  /** Entries after which all are forgotten, because ends of threads seem to be lost. */
  private static final int MAX = 1 << 18;

  /** Positions of threads on CPUs. */
  private final LongIndex index = new LongIndex();

  /** The chosen root event by position; 0 for none. */
  private long[] roots = new long[index.capacity()];

  private int lastExited;
  private final int[] cpus;

  /** For threads on these CPUs. */
  PerfRoots(int[] cpus) {
    this.cpus = cpus;
  }

  /** Whether another root event was chosen for {@code tid} on {@code cpu}. */
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

  /** A thread with this id was started: the previous thread with the id has ended. */
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

  /** A thread has ended; returns false if that was known. */
  boolean exited(int tid) {
    forget(tid);
    boolean news = lastExited != tid;
    lastExited = tid;
    return news;
  }

  /** Records were lost, perhaps of ends: forgets all choices. */
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
