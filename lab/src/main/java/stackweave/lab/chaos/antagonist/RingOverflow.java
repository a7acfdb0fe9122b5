package stackweave.lab.chaos.antagonist;

import java.io.IOException;
import java.util.List;
import stackweave.lab.chaos.work.Answers;
import stackweave.lab.chaos.work.Native;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;
import stackweave.lab.chaos.work.Together;
import stackweave.samples.work.AgentThread;

/**
 * More samples than the ring buffers hold: ten times the highest usual rate, deep stacks, more busy
 * threads than CPUs; and the agent's thread has the lowest priority half of the time, which leaves
 * it less than a hundredth of a CPU.
 */
final class RingOverflow implements Antagonist {
  private static final int BUSY = 6;
  private static final int DEPTH = 4_000;
  private static final int WORK = 50_000;
  private static final int LOWEST_PRIORITY = 19;
  private static final int USUAL_PRIORITY = 0;
  private static final int HELD_MILLIS = 1_500;

  @Override
  public String targets() {
    return "rings that are full, and the agent's thread that is not let run";
  }

  @Override
  public List<String> counts() {
    return List.of("times the agent's thread was held back");
  }

  @Override
  public String interval() {
    return "100us";
  }

  @Override
  public void run(Time time, Tally tally) throws InterruptedException {
    long expected = deep(DEPTH, 13);
    Together.run(
        BUSY + 1,
        number -> {
          while (!time.isOver()) {
            if (number == BUSY) {
              holdBackAndLetGo(tally);
            } else {
              Answers.same("deep work", expected, deep(DEPTH, 13));
            }
          }
        });
  }

  private static long deep(int depth, long seed) {
    return depth == 0 ? Answers.mixed(seed, WORK) : deep(depth - 1, seed + depth) * 31 + depth;
  }

  private static void holdBackAndLetGo(Tally tally) throws IOException, InterruptedException {
    int drain = AgentThread.tid();
    if (drain != 0 && Native.renice(drain, LOWEST_PRIORITY)) {
      tally.one(0);
    }
    Thread.sleep(HELD_MILLIS);
    if (drain != 0) {
      Native.renice(drain, USUAL_PRIORITY);
    }
    Thread.sleep(HELD_MILLIS);
  }
}
