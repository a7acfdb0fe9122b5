package stackweave.lab.shares;

import stackweave.lab.Built;

/** The kernel's number of a thread, and the ticks of its clock. {@code src/main/c/measure.c}. */
final class Ticks {

  static {
    System.load(Built.library("measure").toString());
  }

  private Ticks() {}

  /** The number of the calling thread. */
  static native int thisThread();

  /** When the last tick was, by the clock of {@link System#nanoTime}. */
  static native long last();

  /** From one tick to the next. */
  static native long nanos();
}
