package stackweave.live.threads;

import java.lang.management.ManagementFactory;
import java.util.List;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import stackweave.lab.Sampling;
import stackweave.samples.lab.Variant;
import stackweave.samples.work.Round;

/**
 * One thread that goes from phase to phase of the lab and says when: {@code PhasesApp CPU_MILLIS}.
 */
final class PhasesApp {

  /** The time of one phase. */
  @Name("test.Phase")
  @Label("Phase")
  static final class PhaseEvent extends Event {
    @Label("Phase")
    String phase;
  }

  private PhasesApp() {}

  public static void main(String[] args) throws Exception {
    Sampling.await();
    long nanos = Long.parseLong(args[0]) * 1_000_000;
    Variant variant = Variant.load(Variant.built().get(0));
    for (String name : List.of("Chains", "Allocas", "Chains", "Allocas")) {
      Round phase = variant.phase(name);
      PhaseEvent event = new PhaseEvent();
      event.phase = name;
      event.begin();
      long end = cpuTime() + nanos;
      while (cpuTime() < end) {
        phase.run();
      }
      event.commit();
    }
  }

  private static long cpuTime() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
