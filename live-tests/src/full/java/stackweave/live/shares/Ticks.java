package stackweave.live.shares;

import stackweave.live.support.Native;

/** The kernel's number of a thread, and the ticks of its clock. {@code src/test/c/ticks.c}. */
final class Ticks {

  static {
    System.load(Native.library("ticks").toString());
  }

  private Ticks() {}

  /** The number of the calling thread. */
  static native int thisThread();

  /** When the last tick was, by the clock of {@link System#nanoTime}. */
  static native long last();

  /** From one tick to the next. */
  static native long nanos();
}
