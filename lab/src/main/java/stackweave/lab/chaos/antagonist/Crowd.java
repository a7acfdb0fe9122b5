package stackweave.lab.chaos.antagonist;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import stackweave.lab.chaos.work.Answers;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;

/** Thousands of threads that start together, wait, work a little, and end together. */
final class Crowd implements Antagonist {
  private static final int THREADS = 3_000;
  private static final int WORK = 20_000;
  private static final int STAY_MILLIS = 300;
  private static final int STACK_BYTES = 256 * 1024;

  @Override
  public String targets() {
    return "what each thread costs: events, timers, descriptors, the kernel's memory";
  }

  @Override
  public List<String> counts() {
    return List.of("threads in crowds of " + THREADS);
  }

  @Override
  public void run(Time time, Tally tally) throws InterruptedException {
    while (!time.isOver()) {
      CountDownLatch go = new CountDownLatch(1);
      long[] results = new long[THREADS];
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int number = i;
        Thread thread =
            new Thread(null, () -> results[number] = late(go, number), "crowd-" + i, STACK_BYTES);
        thread.start();
        threads.add(thread);
        tally.one(0);
      }
      Thread.sleep(STAY_MILLIS);
      go.countDown();
      for (int i = 0; i < THREADS; i++) {
        threads.get(i).join();
        Answers.same("a thread of a crowd", Answers.mixed(i, WORK), results[i]);
      }
    }
  }

  private static long late(CountDownLatch go, int number) {
    try {
      go.await();
    } catch (InterruptedException e) {
      return 0;
    }
    return Answers.mixed(number, WORK);
  }
}
