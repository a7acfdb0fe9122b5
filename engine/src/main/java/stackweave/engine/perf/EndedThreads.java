package stackweave.engine.perf;

import java.util.Arrays;
import stackweave.engine.EngineSink;
import stackweave.linux.CpuTime;
import stackweave.linux.SystemCalls;
import stackweave.linux.TaskList;
import stackweave.unwind.hash.LongIndex;

/**
 * Finds out which of the sampled threads have ended, where no event says so: their ids may be
 * others' from then on. Threads are listed about once a second. So a thread that gets the id of one
 * that ended less than a second ago may pass for it; the kernel gives ids in turn, so that this
 * takes as many starts in a second as there are ids. For the drain thread.
 */
final class EndedThreads implements AutoCloseable {
  private static final long PAUSE_NANOS = 1_000_000_000L;

  /** Pause after a listing in multiples of its CPU time: half a percent of a core. */
  private static final int COST_SHARE = 200;

  private final TaskList tasks;
  private final CpuTime cpuTime = new CpuTime();

  /** Those that were sampled and have not ended, and the same in a list. */
  private final LongIndex index = new LongIndex();

  private int[] met = new int[64];
  private int metCount;

  /** Those that were listed and are not compared yet; null if that is done. */
  private int[] listed;

  private long listedAt;
  private long lookedAt = System.nanoTime();
  private long pauseNanos = PAUSE_NANOS;

  /** Threads can't be listed where /proc is not mounted: none is then said to have ended. */
  EndedThreads(SystemCalls calls) {
    this.tasks = TaskList.open(calls);
  }

  /** Notes that a thread was sampled; returns whether it was not known to be there. */
  boolean isNew(int tid) {
    if (index.find(tid) != LongIndex.NONE) {
      return false;
    }
    index.add(tid);
    if (metCount == met.length) {
      met = Arrays.copyOf(met, 2 * metCount);
    }
    met[metCount++] = tid;
    return true;
  }

  /** Lists the threads, if it is time to and what was listed before has been told. */
  void look() {
    long now = System.nanoTime();
    if (tasks == null || listed != null || now - lookedAt < pauseNanos) {
      return;
    }
    lookedAt = now;
    long cpu = cpuTime.ofThread();
    int count = tasks.read();
    if (count > 0) {
      listed = Arrays.copyOf(tasks.tids(), count);
      listedAt = now; // what starts while they are listed may not be among them
      Arrays.sort(listed);
    }
    pauseNanos = Math.max(PAUSE_NANOS, COST_SHARE * (cpuTime.ofThread() - cpu));
  }

  /** Whether there may be something to tell, after all samples until {@link #time}. */
  boolean isToBeTold() {
    return listed != null;
  }

  /** When threads were listed last, by {@link System#nanoTime}. */
  long time() {
    return listedAt;
  }

  /** Tells of those that had ended by {@link #time}. */
  void tell(EngineSink sink) {
    int left = 0;
    for (int i = 0; i < metCount; i++) {
      int tid = met[i];
      // The list may lack some behind one that ended while it was made (next_tid in
      // fs/proc/base.c).
      if (Arrays.binarySearch(listed, tid) >= 0 || cpuTime.ofThread(tid) >= 0) {
        met[left++] = tid;
      } else {
        index.remove(tid);
        sink.exited(listedAt, tid);
      }
    }
    metCount = left;
    listed = null;
  }

  @Override
  public void close() {
    if (tasks != null) {
      tasks.close();
    }
    cpuTime.close();
  }
}
