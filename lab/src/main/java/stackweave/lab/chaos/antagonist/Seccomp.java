package stackweave.lab.chaos.antagonist;

import java.util.List;
import stackweave.lab.Built;
import stackweave.lab.chaos.work.Answers;
import stackweave.lab.chaos.work.Native;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;

/**
 * A seccomp filter that kills the process for system calls that no usual service makes. The
 * recording asks for no engine: asking for one means that its system calls are allowed.
 */
final class Seccomp implements Antagonist {

  @Override
  public String targets() {
    return "probing: a filter kills the JVM for what no usual service calls";
  }

  @Override
  public List<String> counts() {
    return List.of("rounds of its own work");
  }

  @Override
  public List<String> launcher() {
    return List.of(Built.nativeFile("confine").toString());
  }

  @Override
  public String engineAsked(String engine) {
    return "auto";
  }

  @Override
  public boolean isFor(String engine) {
    return engine.equals("timer");
  }

  @Override
  public void run(Time time, Tally tally) {
    while (!time.isOver()) {
      Answers.same("work", Answers.mixed(7, 1_000_000), Native.work(7, 1_000_000));
      tally.one(0);
    }
  }
}
