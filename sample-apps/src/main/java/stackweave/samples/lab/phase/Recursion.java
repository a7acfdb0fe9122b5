package stackweave.samples.lab.phase;

import stackweave.samples.work.Round;

/** 120 frames of one C function, 30 to 40 KiB of stack: still inside the copy of a sample. */
public final class Recursion implements Round {

  static final int DEPTH = 120;

  @Override
  public long run() {
    long x = 1;
    for (int i = 0; i < 1_000; i++) {
      x = run(x, DEPTH, 15_000);
    }
    return x;
  }

  private static native long run(long seed, int depth, int work);
}
