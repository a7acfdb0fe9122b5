package stackweave.lab.chaos.antagonist;

import java.util.List;
import java.util.SplittableRandom;
import stackweave.lab.chaos.work.Answers;
import stackweave.lab.chaos.work.Native;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;
import stackweave.lab.chaos.work.Together;

/**
 * Two threads that load a library, run it for a millisecond and unload it, at changing addresses.
 */
public final class LibraryStorm implements Antagonist {
  private static final int BUILDS = 4;
  private static final int WORK = 500_000;
  private static final int MAX_GAP_PAGES = 8;

  /** What the functions of the library add on the way back. */
  private static final int CALLS = 2;

  @Override
  public String targets() {
    return "a library that is gone, or another one at its address, when its sample is unwound";
  }

  @Override
  public List<String> counts() {
    return List.of("dlopen/dlclose pairs");
  }

  @Override
  public void run(Time time, Tally tally) throws InterruptedException {
    long[] expected = new long[16];
    for (int seed = 0; seed < expected.length; seed++) {
      expected[seed] = Answers.mixed(seed, WORK) + CALLS;
    }
    Together.run(
        2,
        number -> {
          SplittableRandom random = new SplittableRandom(number);
          while (!time.isOver()) {
            int seed = random.nextInt(expected.length);
            String library = Native.storm(random.nextInt(BUILDS)).toString();
            long result = Native.loadAndRun(library, seed, WORK, random.nextInt(MAX_GAP_PAGES));
            Answers.same("a library of the storm", expected[seed], result);
            tally.one(0);
          }
        });
  }
}
