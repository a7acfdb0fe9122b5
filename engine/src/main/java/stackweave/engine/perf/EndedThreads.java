package stackweave.engine.perf;

import java.io.File;
import java.util.Arrays;
import stackweave.engine.EngineSink;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.CpuTime;
import stackweave.linux.SystemCalls;
import stackweave.linux.TaskList;
import stackweave.unwind.hash.LongIndex;

/**
 * Finds out which of the sampled threads have ended, if no event records it, since their ids may
 * then be reused. Threads are listed about once a second, so a thread that reuses an id within a
 * second is taken for the old one. The kernel assigns ids in turn, so this takes as many starts in
 * a second as there are ids. For the drain thread.
 */
final class EndedThreads implements AutoCloseable {
  private static final long PAUSE_NANOS = 1_000_000_000L;

  /** Pause after a listing in multiples of its CPU time: half a percent of a core. */
  private static final int COST_SHARE = 200;

  private final SampledProcess process;
  private final TaskList tasks;
  private final CpuTime cpuTime = new CpuTime();

  /** The threads that were sampled and have not ended, as an index and as a list. */
  private final LongIndex index = new LongIndex();

  private int[] met = new int[64];
  private int metCount;

  /** The listed threads, until they are compared; then null. */
  private int[] listed;

  private long listedAt;
  private long lookedAt = System.nanoTime();
  private long pauseNanos = PAUSE_NANOS;

  /** If /proc is not mounted, threads can't be listed, and none is reported to have ended. */
  EndedThreads(SystemCalls calls, SampledProcess process) {
    this.process = process;
    this.tasks = TaskList.open(calls, process);
  }

  /** Where the samples of threads come from. */
  interface Samples {
    /** Whether no sample of this time comes any more. */
    boolean isPast(long timeNanos);

    /** Delivers samples up to a time; returns how many. */
    int drain(long untilTimeNanos);
  }

  /** Adds a sampled thread; returns whether it was not known. */
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

  /**
   * Delivers samples up to a time, and the ends of threads between them: in the order of time,
   * since an id may be reused from then on.
   *
   * @return how many
   */
  int deliver(long untilTimeNanos, Samples samples, EngineSink sink) {
    int count = 0;
    if (listed != null && listedAt <= untilTimeNanos) {
      boolean complete = samples.isPast(listedAt);
      count = samples.drain(listedAt);
      if (!complete) {
        return count;
      }
      tell(sink);
    }
    count += samples.drain(untilTimeNanos);
    look();
    return count;
  }

  /** Lists the threads, if it is time to and the last list has been compared. */
  private void look() {
    long now = System.nanoTime();
    if (tasks == null || listed != null || now - lookedAt < pauseNanos) {
      return;
    }
    lookedAt = now;
    long cpu = cpuTime.ofThread();
    int count = tasks.read();
    if (count > 0) {
      listed = Arrays.copyOf(tasks.tids(), count);
      listedAt = now; // threads that start meanwhile may be missing in the list
      Arrays.sort(listed);
    }
    pauseNanos = Math.max(PAUSE_NANOS, COST_SHARE * (cpuTime.ofThread() - cpu));
  }

  /** Reports the threads that had ended when they were listed. */
  private void tell(EngineSink sink) {
    int left = 0;
    for (int i = 0; i < metCount; i++) {
      int tid = met[i];
      // The list may lack threads behind one that ended while it was made (next_tid in
      // fs/proc/base.c).
      if (Arrays.binarySearch(listed, tid) >= 0 || isThere(tid)) {
        met[left++] = tid;
      } else {
        index.remove(tid);
        sink.exited(listedAt, tid);
      }
    }
    metCount = left;
    listed = null;
  }

  /** By its clock, which is cheaper, where the kernel lets this process read it. */
  private boolean isThere(int tid) {
    return process.isOwn()
        ? cpuTime.ofThread(tid) >= 0
        : new File(process.file("task/" + tid)).exists();
  }

  @Override
  public void close() {
    if (tasks != null) {
      tasks.close();
    }
    cpuTime.close();
  }
}
