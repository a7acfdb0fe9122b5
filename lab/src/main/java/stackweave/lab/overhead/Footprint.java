package stackweave.lab.overhead;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import stackweave.lab.overhead.MeasuredJvm.Plan;

/**
 * The memory of a JVM that stays in one state, and what was recorded of it.
 *
 * @param rssKib resident memory
 * @param pssKib the same, with what is shared with other processes counted in part
 * @param heapKib objects that are alive
 * @param othersNanos CPU time of all threads but the workers, from the start of sampling on
 */
record Footprint(
    WindowKind kind, long rssKib, long pssKib, long heapKib, long othersNanos, Recorded recorded) {

  /**
   * Measures a JVM that differs only in its state; the agent is in those that are dormant or
   * sampled by it.
   */
  static Footprint measure(Fork fork, WindowKind kind, double seconds, long intervalNanos)
      throws IOException, InterruptedException {
    boolean withAgent = kind == WindowKind.DORMANT || kind == WindowKind.STACKWEAVE;
    Plan plan = fork.plan(List.of(kind), 0, seconds, intervalNanos);
    List<String> lines = fork.run(FootprintJvm.class, withAgent, plan);
    String[] figures = lines.get(lines.size() - 1).split(",");
    Path file = plan.directory().resolve("footprint.jfr");
    return new Footprint(
        kind,
        Long.parseLong(figures[0]),
        Long.parseLong(figures[1]),
        Long.parseLong(figures[2]),
        Long.parseLong(figures[3]),
        kind.samples() ? Recorded.read(kind, file, 0, Long.MAX_VALUE) : Recorded.NOTHING);
  }
}
