package stackweave.live.support;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import stackweave.testing.Ended;
import stackweave.testing.Enough;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;

/** Recorded runs of the two apps, made once for all tests that look at them. */
public final class Runs {

  /** Seconds of CPU time of each thread of an app: of three threads in the lab, four in the zoo. */
  public static final String SECONDS = System.getProperty("it.seconds", "0.8");

  /** CPU time between two samples, in ns. */
  public static final long INTERVAL = Long.getLong("it.interval", 2_000_000);

  /**
   * 60 % of them are in the lab's functions. TruthIT looks at four runs together: with no more than
   * that in each it misses one that has 5 % of these in 5 of 10⁶ cases. On a busy machine timers
   * have twice as many, and perf four times.
   */
  private static final int ENOUGH = 100;

  /** As many times longer. */
  private static final double MAX_TIMES = 4;

  /** A run and its stacks. */
  public record Run(Ended ended, Stacks stacks) {

    public int samples() {
      return stacks.samples().size();
    }
  }

  private static final Map<List<Object>, Run> MADE = new ConcurrentHashMap<>();

  private Runs() {}

  /** Runs the JVM where every perf_event_open fails with EPERM, as in many containers. */
  private static final String REFUSE_PERF = Native.program("refuse_perf").toString();

  /** {@code stackweave.samples.lab.JniLab} or {@code stackweave.samples.zoo.JniZoo}. */
  public static Run of(Jdk jdk, String main) {
    return MADE.computeIfAbsent(List.of(jdk, main), key -> run(() -> Jvms.hot(jdk), main));
  }

  /**
   * The same without perf: what is sampled is sampled by timers. The zoo is denied process_vm_readv
   * as well, so its stacks are read from /proc/self/mem.
   */
  public static Run withoutPerf(Jdk jdk, String main) {
    String[] wrapper =
        main.endsWith("JniZoo")
            ? new String[] {REFUSE_PERF, "--memory"}
            : new String[] {REFUSE_PERF};
    return MADE.computeIfAbsent(
        List.of(jdk, main, REFUSE_PERF), key -> run(() -> Jvms.hot(jdk).under(wrapper), main));
  }

  /** One with enough samples: where there were fewer, it is made again, and longer. */
  private static Run run(Supplier<ForkedJvm> jvms, String main) {
    Run[] run = new Run[1];
    double[] times = {1};
    Enough.until(
        () -> run[0].samples() >= ENOUGH,
        () -> {
          run[0] = runOnce(jvms.get(), main, times[0]);
          times[0] = Math.min(2 * times[0], MAX_TIMES);
        });
    return run[0];
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
   * Judges the stacks of runs. Those of which that can't be said are not looked at again: who
   * repeats the test makes others.
   */
  public static void judge(Runnable check) {
    try {
      check.run();
    } catch (AssertionError e) {
      MADE.clear();
      throw e;
    }
  }

  public static Run lab(Jdk jdk) {
    return of(jdk, "stackweave.samples.lab.JniLab");
  }
}
