package stackweave.agent.jdk;

import java.util.Arrays;
import stackweave.unwind.hash.LongIndex;

/**
 * What was read of the VM's Java threads, by the address of their JavaThread, so that of thousands
 * only new ones are read again. A JavaThread keeps its OS thread and its stack; an address that is
 * used again has another Java thread, whose id is never used again. Used by {@link
 * JavaThreadFinder}; for the drain thread only; allocates only to grow.
 */
final class KnownJavaThreads {
  private final LongIndex index = new LongIndex();
  private long[] javaId = new long[index.capacity()];
  private int[] osThreadId = new int[index.capacity()];
  private long[] stackEnd = new long[index.capacity()];

  /** The round in which a thread was met last. */
  private int[] round = new int[index.capacity()];

  private int rounds;
  private int met;

  /** Positions that were given so far. */
  private int limit;

  /** Begins to go through all threads. */
  void begin() {
    rounds++;
    met = 0;
  }

  /**
   * The position of a thread that is known.
   *
   * @param vmThread address of its JavaThread
   * @param id its id in Java, 0 where that can't be read
   * @return −1 if it is to be read
   */
  int find(long vmThread, long id) {
    int i = index.find(vmThread);
    if (i < 0 || id == 0 || javaId[i] != id) {
      return -1;
    }
    meet(i);
    return i;
  }

  /** Its id as the OS has it. */
  int osThreadId(int i) {
    return osThreadId[i];
  }

  /** The first address above its stack. */
  long stackEnd(int i) {
    return stackEnd[i];
  }

  /** Keeps what was read of a thread: all of it must be known. */
  void add(long vmThread, long id, int tid, long end) {
    int known = index.find(vmThread);
    int i = known >= 0 ? known : index.add(vmThread);
    if (index.capacity() > javaId.length) {
      javaId = Arrays.copyOf(javaId, index.capacity());
      osThreadId = Arrays.copyOf(osThreadId, index.capacity());
      stackEnd = Arrays.copyOf(stackEnd, index.capacity());
      round = Arrays.copyOf(round, index.capacity());
    }
    limit = Math.max(limit, i + 1);
    javaId[i] = id;
    osThreadId[i] = tid;
    stackEnd[i] = end;
    meet(i);
  }

  private void meet(int i) {
    met++;
    round[i] = rounds;
  }

  /** All threads were gone through: forgets those that were not met, if they are many. */
  void end() {
    if (index.count() <= 2 * met + 64) {
      return;
    }
    for (int i = 0; i < limit; i++) {
      if (round[i] != rounds && index.find(index.key(i)) == i) {
        index.remove(index.key(i));
      }
    }
  }

  /** How many are known. */
  int count() {
    return index.count();
  }
}
