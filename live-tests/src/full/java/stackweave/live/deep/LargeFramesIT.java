package stackweave.live.deep;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import stackweave.live.support.Jdks;
import stackweave.live.support.Jvms;
import stackweave.live.support.Native;
import stackweave.live.support.Stacks;
import stackweave.live.support.Stacks.Sample;
import stackweave.testing.Ended;
import stackweave.testing.Enough;
import stackweave.testing.Exact;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Promise;

/**
 * Kernels above a buffer that is larger than what perf copies of a stack: all stacks reach the
 * thread's first frame, and none has the caller of another call, but for those that say that it may
 * be one: where the buffer is larger than what is copied with timers, or nothing copies the rest.
 */
@Exact
class LargeFramesIT {
  private static final String KERNEL = "kernel_";
  private static final String PASS = "kernel_pass_";
  private static final String CALLER = "kernel_caller_";

  /** What is tested is not HotSpot's: one JDK is enough. */
  @Test
  void noStackHasTheCallerOfAnotherCall() {
    check("perf", 0.9);
  }

  /**
   * Samples until there are enough.
   *
   * @param surely the share of stacks that reach the first frame by no guess, at least
   */
  static void check(String engine, double surely) {
    Stacks[] last = new Stacks[1];
    Map<KernelsApp.Calls, List<Sample>> all = new EnumMap<>(KernelsApp.Calls.class);
    Enough.until(
        () -> all.values().stream().allMatch(samples -> samples.size() > 20),
        () -> {
          last[0] = run(engine);
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
      List<Sample> sure = complete.stream().filter(sample -> !isGuessed(sample)).toList();
      sure.stream().filter(sample -> !isRight(sample)).forEach(wrong::add);
      System.out.printf(
          "%s by %s: %d samples in the kernel, %d complete, %d of them by a guess, %d of these right%n",
          calls,
          engine,
          samples.size(),
          complete.size(),
          complete.size() - sure.size(),
          complete.stream().filter(sample -> isGuessed(sample) && isRight(sample)).count());
      checks.add(() -> assertTrue(samples.size() > 20, calls + ": samples " + samples.size()));
      checks.add(
          () -> Promise.atLeast("complete, " + calls, 0.98, complete.size(), samples.size()));
      checks.add(() -> Promise.atLeast("sure, " + calls, surely, sure.size(), samples.size()));
    }
    assertEquals(List.of(), wrong);
    assertAll(checks.stream().map(check -> check::run));
  }

  private static Stacks run(String engine) {
    ForkedJvm jvm = Jvms.withoutLibraries(Jdks.newest());
    Ended ended =
        jvm.agent("interval=1ms", "drain=100", "engine=" + engine)
            .recording()
            .run("stackweave.live.deep.KernelsApp", Native.library("kernels").toString(), "0.5")
            .successfully();
    return Stacks.of(ended.recording());
  }

  private static boolean isGuessed(Sample sample) {
    return sample.frames().stream().anyMatch(Stacks.Frame::isGuess);
  }

  private static List<Sample> inKernel(Stacks stacks, String thread) {
    return stacks
        .of(sample -> sample.thread().equals(thread))
        .filter(
            sample -> sample.frames().stream().anyMatch(frame -> frame.name().startsWith(KERNEL)))
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
