package stackweave.agent.decode.thread;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.Tasks;

/**
 * From the ids that a process has for its threads, in its own pid namespace, to those that samples
 * have, which are of this process's. Both are equal in one namespace. A thread that reuses an id
 * between two looks is taken for the old one. For the drain thread only.
 */
final class ThreadIds {
  /** Most threads that are told apart; a process may have 4 million. */
  private static final int MAX_THREADS = 1 << 16;

  private final SampledProcess process;
  private final boolean areEqual;

  /** By the ids of this namespace, and by those of the process's. */
  private final Map<Integer, Integer> inner = new HashMap<>();

  private final Map<Integer, Integer> outer = new HashMap<>();

  ThreadIds(SampledProcess process) {
    this.process = process;
    this.areEqual = process.innermostPid() == process.pid();
  }

  /** Looks which threads there are. */
  void look() {
    if (areEqual) {
      return;
    }
    Set<Integer> gone = new HashSet<>(inner.keySet());
    for (int tid : Tasks.list(process)) {
      gone.remove(tid);
      if (inner.size() < MAX_THREADS && !inner.containsKey(tid)) {
        add(tid);
      }
    }
    for (int tid : gone) {
      outer.remove(inner.remove(tid), tid);
    }
  }

  private void add(int tid) {
    try {
      long[] ids = process.statusOfThread(tid, "NSpid");
      int innermost = (int) ids[ids.length - 1];
      inner.put(tid, innermost);
      outer.put(innermost, tid);
    } catch (IOException e) {
      return; // it has ended
    }
  }

  /** The id that samples of a thread have; 0 if it is not known. */
  int ofSamples(int innermost) {
    return areEqual ? innermost : outer.getOrDefault(innermost, 0);
  }
}
