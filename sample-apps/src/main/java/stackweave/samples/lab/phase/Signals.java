package stackweave.samples.lab.phase;

import stackweave.samples.work.Round;

/** Signal handlers that burn CPU on top of an interrupted C chain. */
public final class Signals implements Round {

  @Override
  public long run() {
    long x = 1;
    for (int i = 0; i < 8; i++) {
      x = run(x, 10, 50_000);
      if (x == 0) {
        throw new IllegalStateException("the signal phase could not interrupt its thread");
      }
    }
    return x;
  }

  private static native long run(long seed, int raises, int work);
}
