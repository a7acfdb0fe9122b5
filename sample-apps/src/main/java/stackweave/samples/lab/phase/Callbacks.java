package stackweave.samples.lab.phase;

import stackweave.samples.work.Round;

/** Java → C → Java → C …: {@value #LEVELS} times down through JNI, the leaf burns in C. */
public final class Callbacks implements Round {

  static final int LEVELS = 5;

  @Override
  public long run() {
    long x = 1;
    for (int i = 0; i < 1_000; i++) {
      x = down(LEVELS, x, 20_000);
    }
    return x;
  }

  private native long down(int level, long x, int work);

  /** Called from C on two levels of three. */
  private long up(int level, long x, int work) {
    return further(level, x, work) + 1;
  }

  /** Called from C on every third level. */
  @SuppressWarnings("unused")
  private static long upStatic(Callbacks self, int level, long x, int work) {
    return self.further(level, x, work) + 2;
  }

  private long further(int level, long x, int work) {
    return down(level, x ^ level, work) * 3;
  }
}
