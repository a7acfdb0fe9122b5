package stackweave.agent.engine;

import java.util.Arrays;

/**
 * Which of our events stands at the root of which thread, to tell samples that come twice.
 *
 * <p>A thread that a thread already attached starts while we are still attaching inherits that
 * one's events and is then found and attached itself. Its samples say from which root event they
 * stem: of a thread that has roots of its own, those of other roots are the doubles. A thread's
 * roots end with it: the next thread with the same id has none.
 */
final class PerfThreads {
  /** Root event id → thread, by open addressing; ids are never 0. */
  private long[] ids = new long[256];

  private int[] owners = new int[256];
  private int count;

  /** Threads with roots, ascending; and which of them still run. */
  private int[] tids = new int[0];

  private boolean[] alive = new boolean[0];

  /** Notes that the event {@code id} was opened for {@code tid}. Before {@link #seal}. */
  void attached(int tid, long id) {
    if (2 * (count + 1) > ids.length) {
      grow();
    }
    put(id, tid);
    count++;
  }

  /** Ends the attaching: from here on records are judged. */
  void seal(int[] attachedTids) {
    tids = attachedTids.clone();
    Arrays.sort(tids);
    alive = new boolean[tids.length];
    Arrays.fill(alive, true);
  }

  /** Whether a record of {@code tid} from the root event {@code id} has come from its own too. */
  boolean isDuplicate(int tid, long id) {
    if (owner(id) == tid) {
      return false;
    }
    int index = Arrays.binarySearch(tids, tid);
    return index >= 0 && alive[index];
  }

  /** A thread with this id was started: whoever had the id before is gone. */
  void started(int tid) {
    exited(tid);
  }

  void exited(int tid) {
    int index = Arrays.binarySearch(tids, tid);
    if (index >= 0) {
      alive[index] = false;
    }
  }

  private int owner(long id) {
    int mask = ids.length - 1;
    for (int i = slot(id, mask); ids[i] != 0; i = (i + 1) & mask) {
      if (ids[i] == id) {
        return owners[i];
      }
    }
    return 0;
  }

  private void put(long id, int tid) {
    int mask = ids.length - 1;
    int i = slot(id, mask);
    while (ids[i] != 0) {
      i = (i + 1) & mask;
    }
    ids[i] = id;
    owners[i] = tid;
  }

  private void grow() {
    long[] oldIds = ids;
    int[] oldOwners = owners;
    ids = new long[oldIds.length * 2];
    owners = new int[ids.length];
    for (int i = 0; i < oldIds.length; i++) {
      if (oldIds[i] != 0) {
        put(oldIds[i], oldOwners[i]);
      }
    }
  }

  private static int slot(long id, int mask) {
    return (int) (id * 0x9E3779B97F4A7C15L >>> 40) & mask;
  }
}
