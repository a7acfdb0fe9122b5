package stackweave.live.threads;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jvms;
import stackweave.live.support.Stacks;
import stackweave.live.support.Stacks.Sample;
import stackweave.testing.Enough;
import stackweave.testing.Exact;
import stackweave.testing.Jdk;
import stackweave.testing.Promise;

/**
 * Virtual threads: whose a sample is, judged by frames that only one thread can have; where their
 * frames begin; where they are missing.
 */
@Order(6)
@Exact
class VirtualThreadsIT {
  static final int FIRST = 21;
  private static final String APP = "stackweave.live.threads.VirtualThreadsApp";
  private static final String BOUNDARY = "[virtual thread]";
  private static final String FROZEN = "[frames frozen in the heap]";

  /**
   * On an idle machine nearly all are identified. Where the drain thread gets its turn late, more
   * of the samples lie before the collection that it then sees.
   */
  private static final double MIN = 0.1;

  /** Collectors that move objects in pauses only; others also do so meanwhile. */
  static final List<String> IN_PAUSES =
      List.of("-XX:+UseG1GC", "-XX:+UseSerialGC", "-XX:+UseParallelGC");

  static Stream<Arguments> runs() {
    return Jdk.onNewest()
        .filter(jdk -> jdk.feature() >= FIRST)
        .map(jdk -> Arguments.of(jdk, "-XX:+UseG1GC"));
  }

  @ParameterizedTest
  @MethodSource("runs")
  void samplesAreOfTheThreadThatRan(Jdk jdk, String collector) {
    check(jdk, collector, "2");
  }

  static void check(Jdk jdk, String collector, String seconds) {
    Found all = new Found();
    Enough.until(all::isEnough, () -> judge(jdk, collector, seconds, all));
    double least = IN_PAUSES.contains(collector) ? MIN : 0;
    double share = (double) all.identified / all.work;
    assertAll(
        () -> assertTrue(all.isEnough(), all::toString),
        () -> assertTrue(share >= least, () -> "identified: " + share),
        () -> Promise.atMost("incomplete", 0.005, all.incomplete, all.samples),
        // A carrier's first samples may come before the Java threads are looked through.
        () -> Promise.atMost("carriers not named", 0.02, all.unnamed, all.work),
        () -> Promise.atMost("copies that end at frozen frames", 0.005, all.cut, all.frozen));
  }

  /** What all runs together have. */
  private static final class Found {
    long samples;
    long work;
    long identified;
    long unnamed;
    long incomplete;
    long frozen;
    long entered;
    long cut;
    long callbacks;

    boolean isEnough() {
      return work > 30 && entered > 3 && callbacks > 3;
    }

    @Override
    public String toString() {
      return String.format(
          "%d samples of workers, %d frozen behind the entry, %d in C below a virtual thread",
          work, entered, callbacks);
    }
  }

  /** One run: what is wrong in it whatever the number of samples, and what it adds. */
  private static void judge(Jdk jdk, String collector, String seconds, Found all) {
    Stacks stacks =
        Stacks.of(
            Jvms.hot(jdk)
                .agent("drain=100")
                .recording("+stackweave.NativeSample#interval=2ms")
                // From JDK 26 on a heap begins small, and some collectors then collect all the
                // time.
                .options(collector, "-Xms400m", "-Xmx400m")
                .run(APP, seconds)
                .successfully()
                .recording());
    List<Sample> work = stacks.of(VirtualThreadsIT::isWork).toList();
    List<Sample> wrong = work.stream().filter(s -> isIdentified(s) && !isOwn(s)).toList();
    long identified = work.stream().filter(VirtualThreadsIT::isIdentified).count();
    long incomplete = stacks.of(sample -> !stacks.isComplete(sample)).count();
    List<Sample> frozen = stacks.of(s -> has(s, FROZEN)).toList();
    System.out.printf(
        "%s %s: %d samples of known workers, %d identified, %d wrong; %d of %d with frozen"
            + " frames; %d incomplete%n",
        jdk,
        collector,
        work.size(),
        identified,
        wrong.size(),
        frozen.size(),
        stacks.samples().size(),
        incomplete);
    frozen.stream().filter(s -> endsAt(s, FROZEN)).limit(1).forEach(System.out::println);
    all.samples += stacks.samples().size();
    all.work += work.size();
    all.identified += identified;
    all.unnamed += work.stream().filter(s -> !carrierNamed(s)).count();
    all.incomplete += incomplete;
    all.frozen += frozen.size();
    all.entered += frozen.stream().filter(VirtualThreadsIT::frozenBehindEntry).count();
    all.cut += frozen.stream().filter(s -> endsAt(s, FROZEN)).count();
    all.callbacks += callbacks(stacks);
    assertAll(
        () -> assertEquals(List.of(), wrong.stream().limit(2).toList(), "wrong threads"),
        () -> none(work, s -> !s.owner().virtual(), "work of no virtual thread"),
        () ->
            none(
                work,
                s -> isIdentified(s) && !s.thread().equals(s.owner().sampledThread()),
                "JFR's own thread is another"),
        () ->
            none(
                stacks.samples(),
                s -> count(s, BOUNDARY) != (entered(s) ? 1 : 0),
                "boundaries other than one per mounted thread"),
        () ->
            none(
                frozen,
                s -> !frozenBehindEntry(s) && !endsAt(s, FROZEN),
                "frozen, and not behind the entry"),
        () ->
            none(
                insideOf(stacks),
                s -> has(s, FROZEN) == has(s, "enter0"),
                "neither whole nor marked as frozen, or both"));
  }

  private static void none(List<Sample> samples, Predicate<Sample> bad, String what) {
    List<Sample> found = samples.stream().filter(bad).toList();
    assertEquals(0, found.size(), () -> what + ", such as " + found.get(0));
  }

  private static boolean isWork(Sample sample) {
    return worker(sample) != null;
  }

  /** The number in work_i, or null. */
  private static String worker(Sample sample) {
    return sample.frames().stream()
        .filter(f -> f.className().endsWith("VirtualThreadsApp") && f.name().matches("work\\d"))
        .map(f -> f.name().substring("work".length()))
        .findFirst()
        .orElse(null);
  }

  private static boolean isIdentified(Sample sample) {
    return sample.owner().javaId() != 0;
  }

  private static boolean isOwn(Sample sample) {
    return sample.thread().equals("worker-" + worker(sample)) && sample.owner().virtual();
  }

  private static boolean carrierNamed(Sample sample) {
    return sample.owner().carrier().startsWith("ForkJoinPool-");
  }

  private static boolean has(Sample sample, String name) {
    return count(sample, name) > 0;
  }

  private static long count(Sample sample, String name) {
    return sample.frames().stream().filter(f -> f.name().equals(name)).count();
  }

  /** Whether something runs inside of enterSpecial, rather than enterSpecial itself. */
  private static boolean entered(Sample sample) {
    int i = indexOf(sample, "enterSpecial");
    return has(sample, BOUNDARY) || i >= 0 && i < sample.frames().size() - 1;
  }

  /** Whether a frame is the last that was found, for the copy ends behind it. */
  private static boolean endsAt(Sample sample, String name) {
    return sample.end().equals("truncated") && sample.frames().get(0).name().equals(name);
  }

  private static boolean frozenBehindEntry(Sample sample) {
    int boundary = indexOf(sample, BOUNDARY);
    int frozen = indexOf(sample, FROZEN);
    return boundary >= 0
        && (frozen == boundary + 1
            || frozen == boundary + 2
                && sample.frames().get(boundary + 1).name().equals("enterSpecial"));
  }

  private static int indexOf(Sample sample, String name) {
    for (int i = 0; i < sample.frames().size(); i++) {
      if (sample.frames().get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  /** Samples of whole stacks, of methods that the virtual threads themselves have called. */
  private static List<Sample> insideOf(Stacks stacks) {
    return stacks.of(s -> stacks.isComplete(s) && has(s, BOUNDARY) && has(s, "burn")).toList();
  }

  private static long callbacks(Stacks stacks) {
    return stacks
        .of(s -> has(s, "lab_callback_leaf") && has(s, BOUNDARY) && stacks.isComplete(s))
        .filter(s -> count(s, "further") == 5)
        .count();
  }
}
