package stackweave.lab.chaos.antagonist;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;
import stackweave.lab.phases.Phases;
import stackweave.samples.work.Round;

/** Garbage collections: young and old garbage, weak references, and full collections on request. */
final class Collections implements Antagonist {
  private final String flag;

  /**
   * @param flag that chooses the collector
   */
  Collections(String flag) {
    this.flag = flag;
  }

  @Override
  public String targets() {
    return "samples of objects' and code's former places; safepoints in which nothing is drained ("
        + flag
        + ")";
  }

  @Override
  public List<String> counts() {
    return List.of("collections");
  }

  @Override
  public List<String> jvmOptions(Path directory) {
    return List.of(flag);
  }

  @Override
  public void run(Time time, Tally tally) {
    Round garbage = Phases.rounds("gc").get(0);
    while (!time.isOver()) {
      garbage.run();
      tally.set(
          0,
          ManagementFactory.getGarbageCollectorMXBeans().stream()
              .mapToLong(collector -> collector.getCollectionCount())
              .sum());
    }
  }
}
