package stackweave.samples.it;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import stackweave.samples.matrix.Jdk;

/** Recorded runs of the two apps, made once for all tests that look at them. */
final class Runs {

  /** Seconds of CPU time of each thread of an app: of three threads in the lab, four in the zoo. */
  static final String SECONDS = System.getProperty("it.seconds", "4");

  /** A run and its stacks. */
  record Run(ForkedJvm.Ended ended, Stacks stacks) {}

  private static final Map<List<Object>, Run> MADE = new ConcurrentHashMap<>();

  private Runs() {}

  /** Runs the JVM where every perf_event_open fails with EPERM, as in many containers. */
  private static final String REFUSE_PERF =
      Path.of("target/native/refuse_perf").toAbsolutePath().toString();

  /** {@code stackweave.samples.lab.JniLab} or {@code stackweave.samples.zoo.JniZoo}. */
  static Run of(Jdk jdk, String main) {
    return MADE.computeIfAbsent(List.of(jdk, main), key -> run(ForkedJvm.on(jdk), main));
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
        List.of(jdk, main, REFUSE_PERF), key -> run(ForkedJvm.on(jdk).under(wrapper), main));
  }

  private static Run run(ForkedJvm jvm, String main) {
    ForkedJvm.Ended ended =
        jvm.agent().recording().options("-Dsamples.clock=cpu").run(main, SECONDS).successfully();
    return new Run(ended, Stacks.of(ended.recording()));
  }

  static Run lab(Jdk jdk) {
    return of(jdk, "stackweave.samples.lab.JniLab");
  }
}
