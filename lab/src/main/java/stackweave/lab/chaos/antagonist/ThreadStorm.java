package stackweave.lab.chaos.antagonist;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import stackweave.lab.chaos.work.Answers;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;

/** Bursts of threads: most live for less than a millisecond, some for a few. */
public final class ThreadStorm implements Antagonist {
  private static final int MAX_AT_ONCE = 300;
  private static final int MIN_WORK = 1_000;
  private static final int MAX_WORK = 4_000_000;

  @Override
  public String targets() {
    return "timers, events and names of threads that end before they are found";
  }

  @Override
  public List<String> counts() {
    return List.of("threads started");
  }

  @Override
  public void run(Time time, Tally tally) throws InterruptedException {
    SplittableRandom random = new SplittableRandom(1);
    while (!time.isOver()) {
      int count = 1 + random.nextInt(MAX_AT_ONCE);
      int longest = random.nextInt(MIN_WORK, MAX_WORK);
      burst(count, longest, random);
      tally.add(0, count);
    }
  }

  private static void burst(int count, int longest, SplittableRandom random)
      throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    long[] results = new long[count];
    int[] work = new int[count];
    for (int i = 0; i < count; i++) {
      int number = i;
      // Nearly all short: one in ten has more than a third of the longest.
      double share = Math.pow(random.nextDouble(), 9);
      work[i] = MIN_WORK + (int) (share * longest);
      Thread thread =
          new Thread(() -> results[number] = Answers.mixed(number, work[number]), "storm-" + i);
      thread.start();
      threads.add(thread);
    }
    for (int i = 0; i < count; i++) {
      threads.get(i).join();
      if (i % 16 == 0) {
        Answers.same("a thread of a storm", Answers.mixed(i, work[i]), results[i]);
      } else if (results[i] == 0) {
        throw new IllegalStateException("a thread of a storm has no result");
      }
    }
  }
}
