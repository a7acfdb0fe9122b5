package stackweave.live.stacks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Gdb;
import stackweave.live.support.Jvms;
import stackweave.live.support.Runs;
import stackweave.live.support.Stacks;
import stackweave.live.support.Stacks.Frame;
import stackweave.live.support.Stacks.Mark;
import stackweave.live.support.Stacks.Sample;
import stackweave.samples.lab.Variant;
import stackweave.testing.ByChance;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.Enough;
import stackweave.testing.Exact;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.Promise;
import stackweave.testing.RunningCommand;

/** Stacks against what is known of them: by construction, by the JDK, by gdb. */
@Order(3)
class TruthIT {

  /** Of chains that are as they must be; hardly one in a thousand is caught between two states. */
  private static final double SHARE = 0.998;

  /** Of each spinner; with the interval of 2 ms it has 140 in a run. */
  private static final int SPINNERS_SAMPLES = 100;

  /** Of the thread that loads; it has 400 in a run where all are decoded. */
  private static final int LOADERS_SAMPLES = 200;

  /** CPU time after which a thread that loads the library is in its constructor. */
  private static final long LOADING_NANOS = 200_000_000L;

  /** CPU time of the thread that loads, in one run. */
  private static final long SAMPLED_NANOS = 800_000_000L;

  @ByChance
  @Test
  void knownChainsAreExact() {
    Runs.judge(
        () -> {
          Map<String, int[]> counts = new TreeMap<>();
          for (Jdk jdk : Jdk.onEnds().toList()) {
            count(jdk.toString(), Runs.lab(jdk).stacks(), counts);
            Runs.Run timers = Runs.withoutPerf(jdk, "stackweave.samples.lab.JniLab");
            count(jdk + " without perf", timers.stacks(), counts);
          }
          checkChains(counts);
        });
  }

  /** Adds to the counts of each innermost function those of its samples: all, and exact ones. */
  private static void count(String run, Stacks stacks, Map<String, int[]> counts) {
    LabChains chains = new LabChains();
    Map<String, Sample> wrong = new HashMap<>();
    for (Sample sample : stacks.samples()) {
      if (sample.frames().isEmpty() || !isLab(sample.innermost())) {
        continue;
      }
      String innermost = sample.innermost().name();
      int[] count = counts.computeIfAbsent(innermost, key -> new int[2]);
      count[0]++;
      if (oneVariant(sample)
          && chains.to(innermost).stream().anyMatch(chain -> chain.matches(sample))) {
        count[1]++;
      } else {
        wrong.putIfAbsent(innermost, sample);
      }
    }
    wrong.values().stream()
        .limit(4)
        .forEach(sample -> System.out.println(run + ", not exact: " + sample));
  }

  private static void checkChains(Map<String, int[]> counts) {
    counts.forEach(
        (name, count) -> System.out.printf("  %-60s %5d of %5d%n", name, count[1], count[0]));
    for (String burner : LabChains.BURNERS) {
      assertTrue(
          counts.containsKey(burner),
          () -> "no sample has " + burner + " innermost: " + counts.keySet());
    }
    assertTrue(
        counts.keySet().stream().anyMatch(LabChains.TINY::contains),
        () -> "no sample has one of " + LabChains.TINY + " innermost: " + counts.keySet());
    Promise.atLeast("exact chains", SHARE, sum(counts, 1), sum(counts, 0));
  }

  private static int sum(Map<String, int[]> counts, int which) {
    return counts.values().stream().mapToInt(count -> count[which]).sum();
  }

  private static boolean isLab(Frame frame) {
    return frame.module().startsWith("liblab-")
        && (frame.name().startsWith("lab_") || frame.name().startsWith("Java_stackweave_"))
        && !frame.name().contains("plt");
  }

  /** Each thread of the lab has a library of its own, and its C frames are all in that one. */
  private static boolean oneVariant(Sample sample) {
    return sample.frames().stream()
            .map(Frame::module)
            .filter(module -> module.startsWith("liblab-"))
            .distinct()
            .count()
        == 1;
  }

  @Exact
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onEnds")
  void javaFramesAreThoseOfGetStackTrace(Jdk jdk) {
    Map<String, List<Boolean>> same = Map.of("cold", new ArrayList<>(), "warm", new ArrayList<>());
    Enough.until(
        () -> same.values().stream().allMatch(samples -> samples.size() >= SPINNERS_SAMPLES),
        () -> compareWithGetStackTrace(jdk, same));
    same.forEach(
        (spinner, samples) -> {
          assertTrue(
              samples.size() >= SPINNERS_SAMPLES, () -> spinner + ", samples: " + samples.size());
          assertFalse(samples.contains(false), () -> spinner + ": " + samples);
        });
  }

  /** Adds, by spinner, of each sample whether it is what getStackTrace() says. */
  private static void compareWithGetStackTrace(Jdk jdk, Map<String, List<Boolean>> all) {
    Ended ended =
        Jvms.hot(jdk)
            .agent("interval=2ms", "drain=100")
            .recording()
            .options("-XX:+UseSerialGC")
            .run("stackweave.live.stacks.SpinApp", "300", Variant.built().get(0))
            .successfully();
    Stacks stacks = Stacks.of(ended.recording());
    for (String spinner : List.of("cold", "warm")) {
      List<String> expected =
          ended.outLines().stream()
              .filter(line -> line.startsWith("STACK " + spinner + " "))
              .map(line -> line.substring(("STACK " + spinner + " ").length()))
              .toList();
      assertTrue(
          expected.size() > 6, () -> "getStackTrace() of " + spinner + ": " + ended.outLines());
      // From when it was seen there on.
      Mark seen = mark(stacks, "test.Seen", spinner);
      Mark spin = mark(stacks, "test.Spin", spinner);
      List<Sample> samples =
          stacks
              .of(sample -> sample.thread().equals(spinner))
              .filter(sample -> sample.time().isAfter(seen.begin()))
              .filter(sample -> sample.time().isBefore(spin.end().minusMillis(5)))
              .toList();
      long same = samples.stream().filter(sample -> javaFrames(sample).equals(expected)).count();
      samples.forEach(sample -> all.get(spinner).add(javaFrames(sample).equals(expected)));
      System.out.printf(
          "%s, %s: %d of %d as getStackTrace() says (kinds: %s)%n",
          jdk, spinner, same, samples.size(), kinds(samples));
      samples.stream()
          .map(TruthIT::javaFrames)
          .filter(frames -> !frames.equals(expected))
          .findFirst()
          .ifPresent(
              frames ->
                  System.out.printf(
                      "getStackTrace(): %s%nsampled: %s%n",
                      String.join("\n    ", expected), String.join("\n    ", frames)));
    }
  }

  /** The last of its kind: a spinner that nobody saw in time was started again. */
  private static Mark mark(Stacks stacks, String event, String spinner) {
    return stacks.marks().stream()
        .filter(mark -> mark.event().equals(event) && mark.text().equals(spinner))
        .max(Comparator.comparing(Mark::begin))
        .orElseThrow();
  }

  /** As SpinApp prints them, innermost first; no line number is -1, and -2 in native methods. */
  private static List<String> javaFrames(Sample sample) {
    List<String> frames = new ArrayList<>();
    for (Frame frame : sample.frames()) {
      if (frame.isJava()) {
        int line = frame.kind().equals("native method") ? -2 : frame.line();
        frames.add(0, frame.className() + " " + frame.name() + " " + line);
      }
    }
    return frames;
  }

  private static Map<String, Long> kinds(List<Sample> samples) {
    return samples.stream()
        .flatMap(sample -> sample.frames().stream())
        .filter(Frame::isJava)
        .collect(Collectors.groupingBy(Frame::kind, TreeMap::new, Collectors.counting()));
  }

  @Exact
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onEnds")
  void nativeFramesAreThoseOfGdb(Jdk jdk) throws Exception {
    assumeTrue(Commands.exist("gdb"), "gdb is missing:  apt-get install gdb");
    Set<String> others = new HashSet<>();
    List<Sample> samples =
        Enough.of(
            LOADERS_SAMPLES,
            () -> {
              try {
                return comparedWithGdb(jdk, others);
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    assertTrue(samples.size() >= LOADERS_SAMPLES, () -> "samples: " + samples.size());
    assertEquals(Set.of(), others);
  }

  /** The samples of a thread within a library's constructor; adds those that gdb has otherwise. */
  private static List<Sample> comparedWithGdb(Jdk jdk, Set<String> others) throws Exception {
    ForkedJvm jvm = Jvms.on(jdk).agent("interval=2ms", "drain=100").recording();
    Path end = jvm.directory().resolve("end");
    jvm.environment("LAB_LOADING_MILLIS", "600000").environment("LAB_LOADING_END", end.toString());
    RunningCommand running = jvm.start("stackweave.live.stacks.LoadingApp");
    List<Gdb.Frame> expected;
    try {
      Gdb.awaitThread(running.process(), "loading", LOADING_NANOS);
      expected = Gdb.stackOf(running.process(), "loading", "lab_loading_spin");
      Gdb.awaitThread(running.process(), "loading", SAMPLED_NANOS);
    } finally {
      Files.createFile(end);
      jvm.end(running).successfully();
    }
    assertFalse(expected.isEmpty());
    List<String> names = expected.stream().map(Gdb.Frame::name).toList();
    assertTrue(names.contains("JVM_LoadLibrary"), () -> "gdb saw " + names);

    Stacks stacks = Stacks.of(jvm.recordingFile());
    List<Sample> samples =
        stacks
            .of(sample -> sample.thread().equals("loading"))
            .filter(
                sample ->
                    sample.frames().stream().anyMatch(f -> f.name().equals("lab_loading_spin")))
            .toList();
    System.out.printf("%s, gdb: %s%n", jdk, names);
    samples.stream()
        .map(TruthIT::nativeFrames)
        .filter(frames -> !Gdb.same(expected, frames))
        .forEach(frames -> others.add("gdb: " + expected + "\n is:  " + frames));
    return samples;
  }

  /** The frames from lab_loading_spin outwards to the first that is not native, as gdb has them. */
  private static List<Gdb.Frame> nativeFrames(Sample sample) {
    List<Gdb.Frame> frames = new ArrayList<>();
    boolean begun = false;
    for (int i = sample.frames().size() - 1; i >= 0; i--) {
      Frame frame = sample.frames().get(i);
      begun |= frame.name().equals("lab_loading_spin");
      if (begun && !frame.isNative()) {
        break;
      }
      if (begun) {
        frames.add(new Gdb.Frame(frame.module(), frame.returnAddress(), frame.name()));
      }
    }
    return frames;
  }
}
