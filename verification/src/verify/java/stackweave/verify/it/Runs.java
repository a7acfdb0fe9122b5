package stackweave.verify.it;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import stackweave.testing.Ended;
import stackweave.testing.Enough;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.verify.Built;

/** Recorded runs of the two apps, made once for all tests that look at them. */
final class Runs {

  /** Seconds of CPU time of each thread of an app: of three threads in the lab, four in the zoo. */
  static final String SECONDS = System.getProperty("it.seconds", "0.6");

  /** CPU time between two samples, in ns. */
  static final long INTERVAL = 4_000_000;

  /** Fewer are too few for what is looked for in them: then a run is made again that is longer. */
  private static final int ENOUGH = 120;

  /** A run and its stacks. */
  record Run(Ended ended, Stacks stacks) {

    int samples() {
      return stacks.samples().size();
    }
  }

  private static final Map<List<Object>, Run> MADE = new ConcurrentHashMap<>();

  private Runs() {}

  /** Runs the JVM where every perf_event_open fails with EPERM, as in many containers. */
  private static final String REFUSE_PERF = Built.nativeFile("refuse_perf").toString();

  /** {@code stackweave.samples.lab.JniLab} or {@code stackweave.samples.zoo.JniZoo}. */
  static Run of(Jdk jdk, String main) {
    return MADE.computeIfAbsent(List.of(jdk, main), key -> run(() -> Jvms.hot(jdk), main));
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
        List.of(jdk, main, REFUSE_PERF), key -> run(() -> Jvms.hot(jdk).under(wrapper), main));
  }

  private static Run run(Supplier<ForkedJvm> jvms, String main) {
    Run[] run = new Run[1];
    double[] times = {1};
    Enough.until(
        () -> isEnough(run[0], main),
        () -> {
          run[0] = runOnce(jvms.get(), main, times[0]);
          times[0] *= 2;
        });
    return run[0];
  }

  /** In the lab each of its functions is looked for. */
  private static boolean isEnough(Run run, String main) {
    Set<String> innermost =
        run.stacks()
            .of(sample -> !sample.frames().isEmpty())
            .map(sample -> sample.innermost().name())
            .collect(Collectors.toSet());
    return run.samples() >= ENOUGH
        && (!main.endsWith("JniLab")
            || innermost.containsAll(LabChains.BURNERS)
                && LabChains.TINY.stream().anyMatch(innermost::contains));
  }

  private static Run runOnce(ForkedJvm jvm, String main, double times) {
    Ended ended =
        jvm.agent("interval=" + INTERVAL + "ns", "drain=100")
            .recording()
            .options("-Dsamples.clock=cpu", "-XX:+UseSerialGC")
            .run(main, Double.toString(times * Double.parseDouble(SECONDS)))
            .successfully();
    return new Run(ended, Stacks.of(ended.recording()));
  }

  /**
   * Judges the stacks of a run. One of which that can't be said is not looked at again: who repeats
   * the test makes another.
   */
  static void judge(Run run, Consumer<Stacks> check) {
    try {
      check.accept(run.stacks());
    } catch (AssertionError e) {
      MADE.values().remove(run);
      throw e;
    }
  }

  static Run lab(Jdk jdk) {
    return of(jdk, "stackweave.samples.lab.JniLab");
  }
}
