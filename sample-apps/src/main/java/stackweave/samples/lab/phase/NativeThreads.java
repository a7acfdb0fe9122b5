package stackweave.samples.lab.phase;

import stackweave.samples.work.Round;

/** Threads that C creates: native first, then attached and calling Java, then native again. */
public final class NativeThreads implements Round {

  @Override
  public long run() {
    long x = run(1, 3_000_000);
    if (x == 0) {
      throw new IllegalStateException("a thread of C could not be started, or not attached");
    }
    return x;
  }

  private native long run(long seed, int work);

  /** Called by the attached thread. */
  @SuppressWarnings("unused")
  private long inside(long x, int work) {
    return burn(x, work) + 1;
  }

  private static native long burn(long x, int work);
}
