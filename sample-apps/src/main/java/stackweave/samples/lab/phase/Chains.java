package stackweave.samples.lab.phase;

import stackweave.samples.work.Round;

/** Java → JNI → outer → middle → static → inner → leaf. */
public final class Chains implements Round {

  @Override
  public long run() {
    long x = 1;
    for (int i = 0; i < 400; i++) {
      x = run(x, 20_000);
    }
    return x;
  }

  private static native long run(long seed, int work);
}
