package stackweave.lab.chaos.antagonist;

import java.util.List;
import java.util.SplittableRandom;
import stackweave.lab.chaos.work.Answers;
import stackweave.lab.chaos.work.Native;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;
import stackweave.lab.chaos.work.Together;

/**
 * Threads on stacks that their creator supplied, coroutines, signal stacks, and stacks beside
 * unmapped memory.
 */
final class PooledStacks implements Antagonist {
  private static final int THREADS = 2;

  /** On its own stack twice, in the coroutine twice, on the signal stack once. */
  private static final int TIMES = 5;

  private static final int MIN_WORK = 1_000_000;
  private static final int MAX_WORK = 8_000_000;

  @Override
  public String targets() {
    return "stack pointers that are in no stack of their thread, with unmapped memory behind them";
  }

  @Override
  public List<String> counts() {
    return List.of("threads on stacks of a pool");
  }

  @Override
  public void run(Time time, Tally tally) throws InterruptedException {
    Together.run(
        THREADS,
        number -> {
          SplittableRandom random = new SplittableRandom(number);
          while (!time.isOver()) {
            int work = random.nextInt(MIN_WORK, MAX_WORK);
            long seed = random.nextInt();
            long result = Native.runOnPool(seed, work, random.nextBoolean(), random.nextBoolean());
            long expected = seed;
            for (int i = 0; i < TIMES; i++) {
              expected = Answers.mixed(expected, work);
            }
            Answers.same("a thread on a stack of a pool", expected, result);
            tally.one(0);
          }
        });
  }
}
