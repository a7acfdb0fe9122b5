package stackweave.lab.chaos.antagonist;

import java.lang.management.ManagementFactory;
import java.util.List;
import stackweave.lab.chaos.work.Answers;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;
import stackweave.lab.phases.Phases;
import stackweave.samples.work.Round;

/** New class loaders, hidden classes and proxies, used a little and dropped. */
final class ClassUnloading implements Antagonist {

  @Override
  public String targets() {
    return "names of methods whose metadata is gone before the sample is drained";
  }

  @Override
  public List<String> counts() {
    return List.of("classes unloaded");
  }

  @Override
  public void run(Time time, Tally tally) {
    Round classes = Phases.rounds("classes").get(0);
    Round garbage = Phases.rounds("gc").get(0);
    long result = classes.run();
    while (!time.isOver()) {
      for (int i = 0; i < 10; i++) {
        Answers.same("classes", result, classes.run());
      }
      garbage.run();
      tally.set(0, ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount());
    }
  }
}
