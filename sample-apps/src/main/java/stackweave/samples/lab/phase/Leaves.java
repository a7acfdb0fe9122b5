package stackweave.samples.lab.phase;

import stackweave.samples.work.Round;

/** C leaves of a few instructions, called in a hot loop. */
public final class Leaves implements Round {

  @Override
  public long run() {
    long x = 1;
    for (int i = 0; i < 40; i++) {
      x = run(x, 50_000);
    }
    return x;
  }

  private static native long run(long seed, int rounds);
}
