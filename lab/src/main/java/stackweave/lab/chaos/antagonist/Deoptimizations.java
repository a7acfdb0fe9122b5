package stackweave.lab.chaos.antagonist;

import java.util.List;
import stackweave.lab.chaos.work.Answers;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;
import stackweave.lab.phases.Phases;
import stackweave.samples.work.Round;

/** Compiled code whose assumptions become false, again and again. */
final class Deoptimizations implements Antagonist {

  @Override
  public String targets() {
    return "stacks whose compiled frames are about to become interpreted ones; code that is thrown"
        + " away";
  }

  @Override
  public List<String> counts() {
    return List.of("classes broken");
  }

  @Override
  public List<String> settings() {
    return List.of("+jdk.Deoptimization#enabled=true");
  }

  @Override
  public List<String> countedEvents() {
    return List.of("jdk.Deoptimization");
  }

  @Override
  public void run(Time time, Tally tally) {
    Round deopt = Phases.rounds("deopt").get(0);
    long result = deopt.run();
    while (!time.isOver()) {
      Answers.same("deopt", result, deopt.run());
      tally.one(0);
    }
  }
}
