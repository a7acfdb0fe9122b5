package stackweave.lab.chaos.antagonist;

import java.util.List;
import stackweave.lab.chaos.work.Answers;
import stackweave.lab.chaos.work.Native;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;
import stackweave.lab.chaos.work.Together;

/** Threads of C code that block every signal, and wait for any. */
final class BlockedSignals implements Antagonist {
  private static final int THREADS = 2;
  private static final int WORK = 5_000_000;
  private static final int TIMES = 4;

  @Override
  public String targets() {
    return "threads that block the agent's signal, and would take it for their own";
  }

  @Override
  public List<String> counts() {
    return List.of("threads with all signals blocked");
  }

  @Override
  public void run(Time time, Tally tally) throws InterruptedException {
    Together.run(
        THREADS,
        number -> {
          long expected = number;
          for (int i = 0; i < TIMES; i++) {
            expected = Answers.mixed(expected, WORK);
          }
          while (!time.isOver()) {
            Answers.same(
                "a thread that blocks all signals", expected, Native.runMasked(number, WORK));
            tally.one(0);
          }
        });
  }
}
