package stackweave.lab.phases;

import java.util.List;
import stackweave.samples.work.Round;

/** Exceptions: thrown far, thrown by the VM, through finally blocks, deep, and out of stack. */
final class Exceptions implements Round {
  private static final List<Integer> NUMBERS = List.of(1, 2);
  private static final long SMALL_STACK_BYTES = 256 << 10;

  /** A program that runs out of stack does not do so all the time. */
  private static final int ROUNDS_WITH_STACK = 100;

  private int rounds;

  @Override
  public long run() {
    long sum = 0;
    for (int i = 0; i < 2_000; i++) {
      sum += far(i % 20) + outOfBounds(i % 5) + cast(i) + ofNull(i) + divided(i % 4);
    }
    if (rounds++ % ROUNDS_WITH_STACK == 0) {
      outOfStack();
    }
    return sum + far(300);
  }

  private static long far(int depth) {
    try {
      return thrower(depth);
    } catch (IllegalStateException e) {
      return e.getMessage().length();
    }
  }

  private static int thrower(int depth) {
    if (depth > 0) {
      int[] before = new int[1];
      try {
        return thrower(depth - 1) + 1;
      } finally {
        before[0]++;
      }
    }
    throw new IllegalStateException("far");
  }

  private static long outOfBounds(int i) {
    try {
      return NUMBERS.get(i) + new int[3][1][i].length;
    } catch (IndexOutOfBoundsException e) {
      return 2;
    }
  }

  private static long cast(int i) {
    Object object = i % 3 == 0 ? "text" : (Object) i;
    try {
      return (Integer) object & 1;
    } catch (ClassCastException e) {
      return 3;
    }
  }

  private static long ofNull(int i) {
    String text = i % 2 == 0 ? null : "text";
    try {
      return text.length();
    } catch (NullPointerException e) {
      return 5;
    }
  }

  private static long divided(int by) {
    try {
      return 100 / by;
    } catch (ArithmeticException e) {
      return 7;
    }
  }

  /** In a thread whose stack is small, so that it takes no longer than the rest of a round. */
  private static void outOfStack() {
    Thread thread = new Thread(null, Exceptions::untilTheEnd, "out-of-stack", SMALL_STACK_BYTES);
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void untilTheEnd() {
    try {
      throw new IllegalStateException("the stack has no end, it seems: " + endless(0));
    } catch (StackOverflowError e) {
      far(20);
    }
  }

  /** Does not end while there is stack. */
  private static long endless(long n) {
    return n < 0 ? 0 : endless(n + 1) + 1;
  }
}
