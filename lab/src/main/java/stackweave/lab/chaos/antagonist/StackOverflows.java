package stackweave.lab.chaos.antagonist;

import java.util.List;
import stackweave.lab.chaos.work.Answers;
import stackweave.lab.chaos.work.Native;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;

/** Threads that run out of stack, in Java and in C called by Java called by C. */
final class StackOverflows implements Antagonist {
  private static final int[] STACK_KIB = {256, 512, 1_024, 2_048};
  private static final long MIN_DEPTH = 100;

  private long depth;

  @Override
  public String targets() {
    return "threads with no stack left for a signal; stacks deeper than any copy";
  }

  @Override
  public List<String> counts() {
    return List.of("StackOverflowErrors in Java", "StackOverflowErrors through C");
  }

  @Override
  public void run(Time time, Tally tally) throws InterruptedException {
    for (int turn = 0; !time.isOver(); turn++) {
      boolean throughC = turn % 2 == 1;
      long[] result = new long[1];
      Thread thread =
          new Thread(
              null,
              () -> result[0] = overflow(throughC),
              "out-of-stack",
              STACK_KIB[turn / 2 % STACK_KIB.length] * 1024L);
      thread.start();
      thread.join();
      Answers.same("what follows a StackOverflowError", Answers.mixed(11, 5_000), result[0]);
      tally.one(throughC ? 1 : 0);
    }
  }

  private long overflow(boolean throughC) {
    try {
      depth = 0;
      throw new IllegalStateException(
          "the stack has no end, it seems: " + (throughC ? Native.descend(this, 0) : endless(0)));
    } catch (StackOverflowError e) {
      if (depth < MIN_DEPTH) {
        throw new IllegalStateException("out of stack after " + depth + " calls", e);
      }
      return Answers.mixed(11, 5_000);
    }
  }

  private long endless(long n) {
    depth = n;
    return n < 0 ? 0 : endless(n + 1) + 1;
  }

  /** Called by C, which {@link Native#descend} entered. */
  long again(long n) {
    depth = n;
    return Native.descend(this, n + 1) + 1;
  }
}
