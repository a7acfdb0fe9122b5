package stackweave.verify.it;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.verify.Built;

/** Recorded runs of the two apps, made once for all tests that look at them. */
final class Runs {

  /** Seconds of CPU time of each thread of an app: of three threads in the lab, four in the zoo. */
  static final String SECONDS = System.getProperty("it.seconds", "1");

  /**
   * Where the machine lets the drain thread wait for seconds, its rings run over, or it thins out
   * what it takes; that is counted, and not what these runs are to test. So such a run is made
   * again, twice at most.
   */
  private static final int TRIES = 3;

  /** Fewer are too few for what is looked for in them: then a run is made again that is longer. */
  private static final int ENOUGH = 300;

  private static final double LONGEST = 10;

  private static final double MAX_LOST = 0.005;

  /** A run and its stacks. */
  record Run(Ended ended, Stacks stacks) {

    int samples() {
      return stacks.samples().size();
    }

    boolean isDisturbed() {
      Stacks.Status status = stacks.status();
      return status.thinned() > 0 || status.lost() + status.dropped() > MAX_LOST * status.owed();
    }
  }

  private static final Map<List<Object>, Run> MADE = new ConcurrentHashMap<>();

  private Runs() {}

  /** Runs the JVM where every perf_event_open fails with EPERM, as in many containers. */
  private static final String REFUSE_PERF = Built.nativeFile("refuse_perf").toString();

  /** {@code stackweave.samples.lab.JniLab} or {@code stackweave.samples.zoo.JniZoo}. */
  static Run of(Jdk jdk, String main) {
    return MADE.computeIfAbsent(List.of(jdk, main), key -> run(() -> Jvms.on(jdk), main));
  }

  /**
   * The same without perf: what is sampled is sampled by timers. The zoo is denied process_vm_readv
   * as well, so its stacks are read from /proc/self/mem.
   */
  static Run withoutPerf(Jdk jdk, String main) {
    String[] wrapper =
        main.endsWith("JniZoo")
            ? new String[] {REFUSE_PERF, "--memory"}
            : new String[] {REFUSE_PERF};
    return MADE.computeIfAbsent(
        List.of(jdk, main, REFUSE_PERF), key -> run(() -> Jvms.on(jdk).under(wrapper), main));
  }

  private static Run run(Supplier<ForkedJvm> jvms, String main) {
    Run run = runOnce(jvms.get(), main, 1);
    double longer = 1;
    for (int i = 1; i < TRIES && (run.isDisturbed() || run.samples() < ENOUGH); i++) {
      System.out.println(main + ", disturbed by the machine: " + run.stacks().status());
      if (run.samples() < ENOUGH) {
        longer = Math.min(LONGEST, 1.5 * longer * ENOUGH / Math.max(1, run.samples()));
      }
      run = runOnce(jvms.get(), main, longer);
    }
    return run;
  }

  private static Run runOnce(ForkedJvm jvm, String main, double times) {
    Ended ended =
        jvm.agent("interval=4ms")
            .recording()
            .options("-Dsamples.clock=cpu")
            .run(main, Double.toString(times * Double.parseDouble(SECONDS)))
            .successfully();
    return new Run(ended, Stacks.of(ended.recording()));
  }

  static Run lab(Jdk jdk) {
    return of(jdk, "stackweave.samples.lab.JniLab");
  }
}
