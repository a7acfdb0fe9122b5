package stackweave.verify.it;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import stackweave.testing.Ended;
import stackweave.testing.Enough;
import stackweave.testing.Exact;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.Promise;
import stackweave.verify.Built;
import stackweave.verify.it.Stacks.Sample;

/**
 * Kernels above a buffer that is larger than what perf copies of a stack: no stack has the caller
 * of another call. With timers all reach the thread's first frame; with perf it depends on how soon
 * the rest is read, beside six busy threads, so how many do is printed only.
 */
@Exact
class LargeFramesIT {
  private static final String PASS = "kernel_pass_";
  private static final String CALLER = "kernel_caller_";

  /** What is tested is not HotSpot's: one JDK is enough. */
  @Test
  void noStackHasTheCallerOfAnotherCall() {
    check(Jdks.newest(), "timer");
  }

  static void check(Jdk jdk, String engine) {
    boolean timer = engine.equals("timer");
    Stacks[] last = new Stacks[1];
    Map<KernelsApp.Calls, List<Sample>> all = new EnumMap<>(KernelsApp.Calls.class);
    Enough.until(
        () -> all.values().stream().allMatch(samples -> samples.size() > 20),
        () -> {
          last[0] = run(jdk, timer);
          for (KernelsApp.Calls calls : KernelsApp.Calls.values()) {
            all.computeIfAbsent(calls, key -> new ArrayList<>())
                .addAll(inKernel(last[0], "kernels-" + calls));
          }
        });
    Stacks stacks = last[0];
    List<Sample> wrong = new ArrayList<>();
    List<Runnable> checks = new ArrayList<>();
    for (KernelsApp.Calls calls : KernelsApp.Calls.values()) {
      List<Sample> samples = all.get(calls);
      List<Sample> complete = samples.stream().filter(stacks::isComplete).toList();
      complete.stream().filter(sample -> !isRight(sample)).forEach(wrong::add);
      System.out.printf(
          "%s by %s: %d samples in the kernel, %d complete%n",
          calls, engine, samples.size(), complete.size());
      checks.add(() -> assertTrue(samples.size() > 20, calls + ": samples " + samples.size()));
      if (timer) {
        checks.add(
            () -> Promise.atLeast("complete, " + calls, 0.99, complete.size(), samples.size()));
      }
    }
    assertEquals(List.of(), wrong);
    assertAll(checks.stream().map(check -> check::run));
  }

  private static Stacks run(Jdk jdk, boolean timer) {
    ForkedJvm jvm = Jvms.withoutLibraries(jdk);
    if (timer) {
      jvm = jvm.under(Built.nativeFile("refuse_perf").toString());
    }
    Ended ended =
        jvm.agent("interval=1ms", "drain=100")
            .recording()
            .run(
                "stackweave.verify.it.KernelsApp",
                Built.library("kernels").toString(),
                timer ? "0.5" : "1")
            .successfully();
    return Stacks.of(ended.recording());
  }

  private static List<Sample> inKernel(Stacks stacks, String thread) {
    return stacks
        .of(sample -> sample.thread().equals(thread))
        .filter(
            sample ->
                sample.frames().stream()
                    .anyMatch(
                        frame -> frame.name().equals("kernel") || frame.name().startsWith(PASS)))
        .toList();
  }

  /** The caller is that of the pass, where one runs; there is one in any case. */
  private static boolean isRight(Sample sample) {
    String caller = numberOf(sample, CALLER);
    String pass = numberOf(sample, PASS);
    return !caller.isEmpty() && (pass.isEmpty() || pass.equals(caller));
  }

  private static String numberOf(Sample sample, String function) {
    return sample.frames().stream()
        .filter(frame -> frame.name().startsWith(function))
        .map(frame -> frame.name().substring(function.length()))
        .findFirst()
        .orElse("");
  }
}
