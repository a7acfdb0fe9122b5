package stackweave.verify.chaos.antagonist;

import java.util.List;
import stackweave.samples.work.Round;
import stackweave.verify.chaos.work.Answers;
import stackweave.verify.chaos.work.Tally;
import stackweave.verify.chaos.work.Time;
import stackweave.verify.phases.Phases;

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
