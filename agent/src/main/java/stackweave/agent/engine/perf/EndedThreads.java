package stackweave.agent.engine.perf;

import java.util.Arrays;
import stackweave.agent.engine.EngineSink;
import stackweave.agent.linux.CpuTime;
import stackweave.agent.linux.LastPid;
import stackweave.agent.linux.SystemCalls;
import stackweave.agent.linux.TaskList;

/**
 * Finds out which threads have come and gone, where no event says so: their ids may be others' from
 * then on. Threads are listed about once a second, if any process has started one since. So a
 * thread that gets the id of one that ended less than a second ago may pass for it. For the drain
 * thread.
 */
final class EndedThreads implements AutoCloseable {
  private static final long PAUSE_NANOS = 1_000_000_000L;

  /** Pause after a listing in multiples of its CPU time: half a percent of a core. */
  private static final int COST_SHARE = 200;

  private final TaskList tasks;
  private final LastPid lastPid = new LastPid();
  private final CpuTime cpuTime = new CpuTime();
  private int[] told = {};

  /** Those that were listed and are to be told; null if that is done. */
  private int[] listed;

  private long listedAt;
  private int lastPidSeen = -1;
  private long lookedAt = System.nanoTime() - PAUSE_NANOS;
  private long pauseNanos;

  /** Threads can't be listed where /proc is not mounted: none is then said to have ended. */
  EndedThreads(SystemCalls calls) {
    this.tasks = TaskList.open(calls);
  }

  /** Lists the threads, if it is time to and what was listed before has been told. */
  void look() {
    long now = System.nanoTime();
    if (tasks == null || listed != null || now - lookedAt < pauseNanos) {
      return;
    }
    lookedAt = now;
    int last = lastPid.read();
    if (last >= 0 && last == lastPidSeen) {
      return;
    }
    lastPidSeen = last;
    long cpu = cpuTime.ofThread();
    int count = tasks.read();
    if (count > 0) {
      listed = Arrays.copyOf(tasks.tids(), count);
      listedAt = System.nanoTime();
      Arrays.sort(listed);
    }
    pauseNanos = Math.max(PAUSE_NANOS, COST_SHARE * (cpuTime.ofThread() - cpu));
  }

  /** Whether there is something to tell, after all that was recorded until {@link #time}. */
  boolean isToBeTold() {
    return listed != null;
  }

  /** When threads were listed last, by {@link System#nanoTime}. */
  long time() {
    return listedAt;
  }

  /** Tells of those that had started and ended by {@link #time} since the time before. */
  void tell(EngineSink sink) {
    int i = 0;
    int j = 0;
    while (i < told.length || j < listed.length) {
      if (j == listed.length || i < told.length && told[i] < listed[j]) {
        sink.exited(listedAt, told[i++]);
      } else if (i == told.length || listed[j] < told[i]) {
        sink.started(listedAt, listed[j++], 0);
      } else {
        i++;
        j++;
      }
    }
    told = listed;
    listed = null;
  }

  @Override
  public void close() {
    if (tasks != null) {
      tasks.close();
    }
    lastPid.close();
    cpuTime.close();
  }
}
