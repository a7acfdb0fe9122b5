package stackweave.lab.chaos.antagonist;

import java.util.List;
import stackweave.lab.Built;
import stackweave.lab.chaos.work.Answers;
import stackweave.lab.chaos.work.Native;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;

/** Ordinary work in a JVM that another program starts, and confines. */
final class Confined implements Antagonist {
  private static final String AHEAD_SECONDS = "100000";
  private static final int WORK = 1_000_000;

  private final String targets;
  private final List<String> launcher;
  private final boolean isFiltered;

  private Confined(String targets, List<String> launcher, boolean isFiltered) {
    this.targets = targets;
    this.launcher = launcher;
    this.isFiltered = isFiltered;
  }

  /**
   * A seccomp filter that kills the process for system calls that no usual service makes. The
   * recording asks for no engine: asking for one means that its system calls are allowed.
   */
  static Confined bySeccomp() {
    return new Confined(
        "probing: a filter kills the JVM for what no usual service calls",
        List.of(Built.nativeFile("confine").toString()),
        true);
  }

  /** A time namespace whose clocks are a day ahead of the machine's, as in a migrated container. */
  static Confined byTime() {
    return new Confined(
        "clocks that differ from the kernel's: samples without a place in time",
        List.of(
            "unshare",
            "--time",
            "--monotonic",
            AHEAD_SECONDS,
            "--boottime",
            AHEAD_SECONDS,
            "--fork",
            "--kill-child",
            "--"),
        false);
  }

  @Override
  public String targets() {
    return targets;
  }

  @Override
  public List<String> counts() {
    return List.of("rounds of its own work");
  }

  @Override
  public List<String> launcher() {
    return launcher;
  }

  @Override
  public String engineAsked(String engine) {
    return isFiltered ? "auto" : engine;
  }

  @Override
  public boolean isFor(String engine) {
    return !isFiltered || engine.equals("timer") || engine.equals("outside");
  }

  @Override
  public void run(Time time, Tally tally) {
    long expected = Answers.mixed(7, WORK);
    while (!time.isOver()) {
      Answers.same("work", expected, Native.work(7, WORK));
      tally.one(0);
    }
  }
}
