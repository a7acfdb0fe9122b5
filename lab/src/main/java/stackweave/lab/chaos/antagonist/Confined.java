package stackweave.lab.chaos.antagonist;

import java.util.List;
import stackweave.lab.chaos.work.Answers;
import stackweave.lab.chaos.work.Native;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;

/** A time namespace whose clocks are a day ahead of the machine's, as in a migrated container. */
final class OtherTime implements Antagonist {
  private static final String AHEAD_SECONDS = "100000";

  @Override
  public String targets() {
    return "clocks that differ from the kernel's: samples without a place in time";
  }

  @Override
  public List<String> counts() {
    return List.of("rounds of its own work");
  }

  @Override
  public List<String> launcher() {
    return List.of(
        "unshare",
        "--time",
        "--monotonic",
        AHEAD_SECONDS,
        "--boottime",
        AHEAD_SECONDS,
        "--fork",
        "--kill-child",
        "--");
  }

  @Override
  public void run(Time time, Tally tally) {
    while (!time.isOver()) {
      Answers.same("work", Answers.mixed(7, 1_000_000), Native.work(7, 1_000_000));
      tally.one(0);
    }
  }
}
