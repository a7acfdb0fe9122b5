package stackweave.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.agent.TwoSamplers.Wait;
import stackweave.agent.apps.WaitsAndAllocates;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.control.SampledFeature;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.Sample;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.SampledRecording.BlockedThread;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.testing.ByChance;
import stackweave.testing.Commands;
import stackweave.testing.CpuShare;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.Promise;
import stackweave.testing.RunningCommand;
import stackweave.testing.Starved;

/**
 * What is recorded beside CPU time, of one process by two samplers at once, by the agent inside and
 * from outside: each has what the program itself says of its waits and its memory.
 */
@ByChance
class OutsideFeaturesIT {
  private static final String NO_ALLOCATIONS = "native allocations are not recorded";

  /** Lines of a status by which all is recorded that is asked for. */
  private static final List<Pattern> RECORDING =
      List.of(
          Pattern.compile("(?m)^waiting: [1-9]"),
          Pattern.compile("(?m)^blocked: [1-9]"),
          Pattern.compile("(?m)^native memory: "),
          Pattern.compile("(?m)^native allocations: "));

  private static final Pattern SAMPLING = Pattern.compile("(?m)^samples: [1-9]");

  /** The C library has 8 bytes more in a block than were asked for. */
  private static final long ALLOCATED =
      (long) WaitsAndAllocates.ROUNDS * (WaitsAndAllocates.LEAK_BYTES + 8);

  private static final int PAGE = 4096;
  private static final int PAGES = WaitsAndAllocates.ROUNDS * WaitsAndAllocates.LEAK_BYTES / PAGE;

  /** One page in 8 is followed. */
  private static final int FOLLOWED = 8;

  /** A clock that the program reads before it waits and after that, and that of the kernel. */
  private static final long CLOCK_NANOS = 2_000_000;

  /** Of a thread's time: what a method may be off by, of which looks show a share. */
  private static final double MAX_APART = 0.1;

  private static final long ENOUGH_NANOS = 2_000_000_000L;
  private static final int ENOUGH_BLOCKS = 100;

  /** States of a thread that is not blocked. */
  private static final String ON_CPU = "on CPU";

  private static final String FOR_CPU = "waiting for a CPU";

  private static final String APP = WaitsAndAllocates.class.getName() + ".";

  @TempDir Path directory;
  private final CpuShare since = CpuShare.now();

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void bothRecordWhatTheProgramSays(Jdk jdk) throws Exception {
    ForkedJvm jvm =
        ForkedJvm.on(jdk, directory)
            .agent("wall=20ms", "blocked=5ms", "native-memory=on", "drain=100")
            .recording("+stackweave.NativeAllocation#enabled=true");
    TwoSamplers both =
        TwoSamplers.run(
            6,
            jvm,
            directory,
            TwoSamplers.request(SampledEvent.CPU, SampledFeature.values()),
            OutsideFeaturesIT::isRecording,
            running -> isRecording(statusOf(jdk, running)));
    assertEquals(List.of(), both.said());
    for (Path recording : List.of(both.inside(), both.outside())) {
      System.out.println(recording.getFileName());
      checkWaits(both, recording);
      checkBlocks(both, recording);
      checkPages(recording);
    }
    compareBlocks(both);
    for (Path recording : List.of(both.inside(), both.outside())) {
      checkAllocations(recording);
    }
  }

  private static boolean isRecording(String status) {
    return !status.contains(NO_ALLOCATIONS)
        && RECORDING.stream().allMatch(line -> line.matcher(status).find());
  }

  private static String statusOf(Jdk jdk, RunningCommand running) {
    try {
      Object[] command = ForkedJvm.agentCommand(jdk, "status", running.pid()).toArray();
      return Commands.output(command);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  // ---- waiting threads

  private void checkWaits(TwoSamplers both, Path recording) throws Exception {
    Map<Long, List<Sample>> byThread = new HashMap<>();
    open(recording, SampleChoice.WALL)
        .forEachSample(
            sample -> {
              if (both.isDuring(sample.time()) && !sample.state().equals(ON_CPU)) {
                byThread
                    .computeIfAbsent(sample.thread().osThreadId(), tid -> new ArrayList<>())
                    .add(sample);
              }
            });
    Map<String, String> states =
        both.waits().stream()
            .collect(Collectors.toMap(Wait::method, Wait::state, (one, same) -> one));
    List<String> seen = new ArrayList<>();
    for (List<Sample> samples : byThread.values()) {
      checkWaits(both, samples, states, seen);
    }
    assertEquals(states.keySet().stream().sorted().toList(), seen.stream().sorted().toList());
  }

  /**
   * A sample stands for the time since the thread's sample before. So the first one's time is not
   * compared, and all later ones' is, up to the last.
   */
  private void checkWaits(
      TwoSamplers both, List<Sample> samples, Map<String, String> states, List<String> seen) {
    long first = nanos(samples.stream().map(Sample::time).min(Instant::compareTo).orElseThrow());
    long last = nanos(samples.stream().map(Sample::time).max(Instant::compareTo).orElseThrow());
    Map<String, Long> times = new TreeMap<>();
    Map<String, Long> inState = new TreeMap<>();
    long alone = 0;
    for (Sample sample : samples) {
      String method = methodOf(sample.frames());
      if (nanos(sample.time()) == first) {
        continue;
      }
      // Where it was when it waited for a CPU is not known if it was seen running before.
      alone += sample.frames().isEmpty() && isForCpu(sample) ? sample.weightNanos() : 0;
      if (method == null || !states.containsKey(method)) {
        continue;
      }
      times.merge(method, sample.weightNanos(), Long::sum);
      if (sample.state().equals(states.get(method)) || isForCpu(sample)) {
        inState.merge(method, sample.weightNanos(), Long::sum);
      }
    }
    for (String method : times.keySet()) {
      seen.add(method);
      if (last - first < ENOUGH_NANOS && since.isStarved()) {
        throw Starved.because("samples of " + (last - first) / 1e9 + " s, " + since);
      }
      double share = (double) times.get(method) / (last - first);
      double truth = waited(both.waits(), method, first, last) / (double) (last - first);
      double unknown = (double) alone / (last - first);
      double right = inState.getOrDefault(method, 0L) / (double) times.get(method);
      String text =
          String.format(
              "%s: %.3f of %.1f s, by the program %.3f, of that %.3f as %s; not known of %.3f",
              method, share, (last - first) / 1e9, truth, right, states.get(method), unknown);
      System.out.println(text);
      assertTrue(last - first >= ENOUGH_NANOS, text);
      assertTrue(share <= truth + MAX_APART, text);
      assertTrue(share >= truth - MAX_APART - unknown, text);
      assertTrue(right >= 1 - MAX_APART, text);
    }
  }

  private static boolean isForCpu(Sample sample) {
    return sample.state().equals(FOR_CPU);
  }

  private static long waited(List<Wait> waits, String method, long from, long to) {
    return waits.stream()
        .filter(wait -> wait.method().equals(method))
        .mapToLong(wait -> Math.max(0, Math.min(to, wait.end()) - Math.max(from, wait.begin())))
        .sum();
  }

  // ---- blocked threads

  /** Each block is in a wait of the program's, and has its state. */
  private void checkBlocks(TwoSamplers both, Path recording) throws Exception {
    List<BlockedThread> blocks = blocks(both, recording);
    if (blocks.size() < ENOUGH_BLOCKS && since.isStarved()) {
      throw Starved.because(blocks.size() + " blocks, " + since);
    }
    assertTrue(blocks.size() >= ENOUGH_BLOCKS, "blocks: " + blocks.size());
    long right = 0;
    for (BlockedThread block : blocks) {
      String method = methodOf(block.frames());
      long begin = nanos(block.start());
      boolean isTrue =
          both.waits().stream()
              .anyMatch(
                  wait ->
                      wait.method().equals(method)
                          && wait.state().equals(block.state())
                          && wait.begin() - CLOCK_NANOS <= begin
                          && wait.end() + CLOCK_NANOS >= begin + block.nanos());
      right += isTrue ? 1 : 0;
      if (!isTrue) {
        System.out.println("no such wait: " + block.start() + " " + texts(block));
      }
    }
    Promise.atLeast("blocks that are waits of the program", 0.99, right, blocks.size());
  }

  /** Of one block both have the same begin and end, state and stack. */
  private static void compareBlocks(TwoSamplers both) throws Exception {
    Map<Long, List<BlockedThread>> theirs =
        blocks(both, both.inside()).stream()
            .collect(Collectors.groupingBy(block -> block.thread().osThreadId()));
    List<BlockedThread> ours = blocks(both, both.outside());
    int paired = 0;
    int same = 0;
    for (BlockedThread block : ours) {
      for (BlockedThread other : theirs.getOrDefault(block.thread().osThreadId(), List.of())) {
        if (isSame(block, other)) {
          paired++;
          same += texts(other).equals(texts(block)) ? 1 : 0;
          break;
        }
      }
    }
    // The others ended before one of the two had looked.
    assertTrue(paired >= ours.size() / 4, paired + " of " + ours.size() + " are in both");
    Promise.atLeast("blocks with the same stack and state", 0.99, same, paired);
  }

  private static boolean isSame(BlockedThread one, BlockedThread other) {
    return Duration.between(one.start(), other.start()).abs().toNanos() < CLOCK_NANOS
        && Math.abs(one.nanos() - other.nanos()) < CLOCK_NANOS;
  }

  private static List<String> texts(BlockedThread block) {
    List<String> texts = new ArrayList<>(List.of(block.state()));
    block.frames().forEach(frame -> texts.add(frame.text()));
    return texts;
  }

  private static List<BlockedThread> blocks(TwoSamplers both, Path recording) throws Exception {
    List<String> methods = both.waits().stream().map(Wait::method).distinct().toList();
    List<BlockedThread> blocks = new ArrayList<>();
    SampledRecording.open(recording)
        .forEachBlocked(
            block -> {
              if (block.isOver()
                  && both.isDuring(block.start())
                  && both.isDuring(block.start().plusNanos(block.nanos()))
                  && methods.contains(methodOf(block.frames()))) {
                blocks.add(block);
              }
            });
    return blocks;
  }

  // ---- native memory

  private static void checkPages(Path recording) throws Exception {
    long touched = leaked(recording, SampledEvent.NATIVE_MEMORY) / PAGE;
    Promise.count("pages followed", PAGES / FOLLOWED, 0.1, touched / FOLLOWED);
  }

  private static void checkAllocations(Path recording) throws Exception {
    String note = SampledRecording.open(recording).figures().note();
    // Probes are taken away where calls take too much of the process's CPU time.
    assumeTrue(!note.contains(NO_ALLOCATIONS), note);
    assertEquals(ALLOCATED, leaked(recording, SampledEvent.NATIVE_ALLOCATIONS));
  }

  private static long leaked(Path recording, String event) throws Exception {
    long[] weights = {0};
    open(recording, SampleChoice.ofEvent(event))
        .forEachStack(
            (thread, end, frames, count, weight) ->
                weights[0] += "leak".equals(methodOf(frames)) ? weight : 0);
    return weights[0];
  }

  // ---- events

  /** Inside by events of threads, outside by events of CPUs: the same at the same times. */
  @ParameterizedTest
  @ValueSource(strings = {"context-switches", "page-faults"})
  void bothCountTheSameEvents(String event) throws Exception {
    ForkedJvm jvm =
        ForkedJvm.on(Jdk.all().get(0), directory).agent("event=" + event, "drain=100").recording();
    TwoSamplers both =
        TwoSamplers.run(
            2,
            jvm,
            directory,
            TwoSamplers.request(SampledEvent.parse(event)),
            report -> SAMPLING.matcher(report).find(),
            running -> SAMPLING.matcher(statusOf(Jdk.all().get(0), running)).find());
    long ours = weight(both, both.outside(), event);
    long theirs = weight(both, both.inside(), event);
    System.out.printf("%s: outside %d, inside %d%n", event, ours, theirs);
    assertTrue(ours > 300, "outside: " + ours);
    // At the begin and end some are in one of the two, as clocks differ by a part of a millisecond.
    assertTrue(Math.abs(ours - theirs) <= 2 + theirs / 50, ours + " outside, inside " + theirs);
    assertEquals(List.of(), both.said());
    if (event.equals("page-faults") && !hasHugePages()) {
      for (Path recording : List.of(both.inside(), both.outside())) {
        Promise.count("pages touched", PAGES, 0.02, leaked(recording, event));
      }
    }
  }

  private static boolean hasHugePages() throws Exception {
    Path file = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
    return Files.exists(file) && Files.readString(file).contains("[always]");
  }

  private static long weight(TwoSamplers both, Path recording, String event) throws Exception {
    long[] weights = {0};
    open(recording, SampleChoice.ofEvent(event))
        .forEachSample(
            sample -> {
              if (both.isDuring(sample.time()) && methodOf(sample.frames()) != null) {
                weights[0] += sample.weightNanos();
              }
            });
    return weights[0];
  }

  // ---- recordings

  private static SampledRecording open(Path recording, SampleChoice choice) throws Exception {
    return SampledRecording.open(
        recording, ReadingProgress.NONE, false, SampledFrame.Change.NONE, choice);
  }

  private static long nanos(Instant time) {
    return time.getEpochSecond() * 1_000_000_000L + time.getNano();
  }

  /** The application's innermost method; null for none. */
  private static String methodOf(List<SampledFrame> frames) {
    for (int i = frames.size() - 1; i >= 0; i--) {
      String text = frames.get(i).text();
      if (text.startsWith(APP)) {
        return text.substring(APP.length());
      }
    }
    return null;
  }
}
