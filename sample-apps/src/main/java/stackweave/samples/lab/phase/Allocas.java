package stackweave.samples.lab.phase;

import stackweave.samples.work.Round;

/** C frames whose size is known only at run time. */
public final class Allocas implements Round {

  @Override
  public long run() {
    long x = 1;
    for (int i = 0; i < 100; i++) {
      x = run(x, 8_192, 4_000);
    }
    return x;
  }

  private static native long run(long seed, int bytes, int work);
}
