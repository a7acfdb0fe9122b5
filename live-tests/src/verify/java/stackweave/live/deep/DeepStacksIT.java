package stackweave.live.deep;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jvms;
import stackweave.live.support.Stacks;
import stackweave.live.support.Stacks.Frame;
import stackweave.live.support.Stacks.Mark;
import stackweave.live.support.Stacks.Sample;
import stackweave.testing.Ended;
import stackweave.testing.Enough;
import stackweave.testing.Exact;
import stackweave.testing.Jdk;
import stackweave.testing.Promise;

/** Stacks of 2,000 calls and more, of which perf copies the innermost 64 KiB. */
@Order(4)
@Exact
class DeepStacksIT {
  private static final int DEPTH = 2_000;

  private static final Set<String> RECURSIVE = Set.of("down", "blind", "lab_recursion_step");
  private static final Set<String> A = Set.of("rootA", "blindA", "leafA");
  private static final Set<String> B = Set.of("rootB", "blindB", "leafB");

  /** Of stacks whose thread stays where it is: all of 1,030 beside fifteen busy threads. */
  private static final double SURE_SHARE = 0.95;

  /**
   * A JVM's flags and the interval: where the agent is interpreted too, it can't take each 2 ms.
   */
  record Mode(String name, String interval, String millis, String app, String... flags) {
    /**
     * So late samples may be read on a loaded machine; the thread must still be there. In Java it
     * stays.
     */
    Duration settling() {
      return Duration.ofMillis(interval.equals("200ms") ? 2_000 : app.equals("java") ? 0 : 300);
    }

    /** So many samples are judged; with 200 ms there are few. */
    int enough() {
      return interval.equals("200ms") ? 20 : 200;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static final Mode C2 = new Mode("C2", "2ms", "600", "java", "-XX:-TieredCompilation");

  static Stream<Arguments> modes() {
    return Jdk.onNewest().map(jdk -> Arguments.of(jdk, C2));
  }

  @ParameterizedTest
  @MethodSource("modes")
  void aRecursionReachesItsRootWithEveryFrame(Jdk jdk, Mode mode) {
    checkRecursion(jdk, mode);
  }

  static void checkRecursion(Jdk jdk, Mode mode) {
    Stacks[] last = new Stacks[1];
    List<Sample> deep =
        Enough.of(
            mode.enough(),
            () -> atTheBottom(mode, last[0] = run(jdk, mode, mode.app(), mode.millis())));
    Stacks stacks = last[0];
    long surely = deep.stream().filter(sample -> isSure(stacks, sample)).count();
    System.out.printf(
        "%s on %s: %d of %d samples reach the root by what is deeper than the copy; %s%n",
        mode, jdk, surely, deep.size(), stacks.status());
    assertAll(
        () -> assertTrue(deep.size() >= mode.enough(), "samples " + deep.size()),
        () -> Promise.atLeast("deep stacks reach the root", SURE_SHARE, surely, deep.size()),
        () ->
            deep.stream()
                .skip(onItsWay(deep))
                .filter(sample -> isSure(stacks, sample))
                .filter(sample -> !isOnItsWay(sample))
                .forEach(sample -> assertEquals(DEPTH + 1, recursion(sample), sample::toString)));
  }

  /** Whether it reaches the thread's first frame by no guess. */
  private static boolean isSure(Stacks stacks, Sample sample) {
    return stacks.isComplete(sample) && sample.frames().stream().noneMatch(Stacks.Frame::isGuess);
  }

  // What is interrupted in a compiled method has the scope of the next safepoint, and that of an
  // inlined leaf may be another's: so the leaves have frames of their own.
  static final Mode COMPILED =
      new Mode(
          "compiled",
          "1ms",
          "600",
          "",
          "-XX:CompileCommand=quiet",
          "-XX:CompileCommand=dontinline,stackweave.live.deep.DeepApp::leaf*");

  static Stream<Arguments> moving() {
    return Jdk.onNewest().map(jdk -> Arguments.of(jdk, COMPILED, "moving", "3000000"));
  }

  /** What is at the bottom and what is at the root belong together, or the root is not shown. */
  @ParameterizedTest
  @MethodSource("moving")
  void aThreadThatGoesUpAndDownGetsNoCallersOfAnotherTime(
      Jdk jdk, Mode mode, String app, String spinNanos) {
    checkMoving(jdk, mode, app, spinNanos);
  }

  static void checkMoving(Jdk jdk, Mode mode, String app, String spinNanos) {
    Stacks[] last = new Stacks[1];
    List<Sample> deep =
        Enough.of(
            mode.enough(),
            () -> atTheBottom(mode, last[0] = run(jdk, mode, app, mode.millis(), spinNanos)));
    Stacks stacks = last[0];
    long surely = deep.stream().filter(sample -> isSure(stacks, sample)).count();
    List<Sample> wrong =
        deep.stream()
            .filter(sample -> isSure(stacks, sample))
            .filter(sample -> recursion(sample) > DEPTH + 1 || has(sample, A) && has(sample, B))
            .toList();
    System.out.printf(
        "%s, %s ns at the bottom, on %s: %d samples, %d surely complete, %d wrong%n",
        app, spinNanos, jdk, deep.size(), surely, wrong.size());
    assertTrue(deep.size() >= mode.enough(), "samples " + deep.size());
    if (app.equals("blind")) {
      // The frames say nothing of a change; one that nobody has seen can't be reckoned with.
      Promise.atMost("callers of another time", 0.02, wrong.size(), deep.size());
    } else {
      assertEquals(List.of(), wrong);
    }
    deep.stream()
        .filter(sample -> isSure(stacks, sample))
        .filter(sample -> sample.frames().stream().anyMatch(f -> RECURSIVE.contains(f.name())))
        .forEach(sample -> assertTrue(has(sample, A) || has(sample, B), sample::toString));
  }

  private static Stacks run(Jdk jdk, Mode mode, String app, String millis, String... more) {
    String[] args =
        Stream.concat(Stream.of(app, "" + DEPTH, millis), Stream.of(more)).toArray(String[]::new);
    Ended ended =
        Jvms.hotWithoutLibraries(jdk)
            .agent("drain=100")
            .recording("+stackweave.NativeSample#interval=" + mode.interval())
            .options("-XX:+UseSerialGC")
            .options(mode.flags())
            .run("stackweave.live.deep.DeepApp", args)
            .successfully();
    Stacks stacks = Stacks.of(ended.recording());
    assertEquals(0, stacks.unresolved(), "stacks with frames that the file lacks");
    return stacks;
  }

  /** Samples of the thread during the phase that the program has marked. */
  private static List<Sample> atTheBottom(Mode mode, Stacks stacks) {
    List<Mark> marks =
        stacks.marks().stream().filter(mark -> mark.event().equals("test.Deep")).toList();
    assertEquals(1, marks.size(), "phases");
    Mark mark = marks.get(0);
    return stacks
        .of(sample -> sample.thread().equals("deep"))
        .filter(sample -> !sample.time().isBefore(mark.begin()))
        .filter(sample -> !sample.time().isAfter(mark.end().minus(mode.settling())))
        .sorted(Comparator.comparing(Sample::time))
        .toList();
  }

  /** How many come before the bottom is reached; in C that is after the phase has begun. */
  private static long onItsWay(List<Sample> deep) {
    return deep.stream().limit(2).takeWhile(sample -> recursion(sample) <= DEPTH).count();
  }

  /** On its way down, which takes new pages of the stack, the thread is not where it will spin. */
  private static boolean isOnItsWay(Sample sample) {
    return recursion(sample) <= DEPTH
        && sample.frames().stream().anyMatch(frame -> frame.name().contains("page_fault"));
  }

  private static long recursion(Sample sample) {
    return sample.frames().stream().map(Frame::name).filter(RECURSIVE::contains).count();
  }

  private static boolean has(Sample sample, Set<String> names) {
    return sample.frames().stream().map(Frame::name).anyMatch(names::contains);
  }
}
