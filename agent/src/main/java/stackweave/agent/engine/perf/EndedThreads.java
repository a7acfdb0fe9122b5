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
  private int[] known = {};
  private int lastPidSeen = -1;
  private long lookedAt = System.nanoTime() - PAUSE_NANOS;
  private long pauseNanos;

  /** Threads can't be listed where /proc is not mounted: none is then said to have ended. */
  EndedThreads(SystemCalls calls) {
    this.tasks = TaskList.open(calls);
  }

  /** Tells of those that have started and ended since the last call, if it is time to look. */
  void report(EngineSink sink) {
    long now = System.nanoTime();
    if (tasks == null || now - lookedAt < pauseNanos) {
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
      int[] listed = Arrays.copyOf(tasks.tids(), count);
      Arrays.sort(listed);
      compare(listed, now, sink);
      known = listed;
    }
    pauseNanos = Math.max(PAUSE_NANOS, COST_SHARE * (cpuTime.ofThread() - cpu));
  }

  private void compare(int[] listed, long now, EngineSink sink) {
    int i = 0;
    int j = 0;
    while (i < known.length || j < listed.length) {
      if (j == listed.length || i < known.length && known[i] < listed[j]) {
        sink.exited(now, known[i++]);
      } else if (i == known.length || listed[j] < known[i]) {
        sink.started(now, listed[j++], 0);
      } else {
        i++;
        j++;
      }
    }
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
