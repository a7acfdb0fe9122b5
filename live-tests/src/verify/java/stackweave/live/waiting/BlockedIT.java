package stackweave.live.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jvms;
import stackweave.live.support.Native;
import stackweave.live.support.Waits;
import stackweave.testing.Enough;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;

/**
 * Events of blocked threads, compared with what the threads say themselves, on the same clock: each
 * lies within a block that the thread has had, with the stack and the state of that one.
 */
class BlockedIT {
  /** How often each thread blocks: for more than a second in all. */
  private static final String ROUNDS = "20";

  private static final Duration THRESHOLD = Duration.ofMillis(5);
  private static final Duration LONG_ENOUGH = Duration.ofMillis(BlockedApp.MILLIS / 2);

  /** How far two readings of JFR's clock, converted to and fro, may be apart. */
  private static final Duration APART = Duration.ofMillis(1);

  /** Of a thread that waits for the JVM wherever it is, as for memory or at a safepoint. */
  private static final Set<String> ANYWHERE =
      Set.of("lock of the JVM", "native lock", "page fault", "not known");

  /** The method that blocks, and the state in it. */
  static final Map<String, Map.Entry<String, String>> KINDS =
      Map.ofEntries(
          Map.entry("sleep", Map.entry("blockInSleep", "sleep")),
          Map.entry("short", Map.entry("blockShortly", "sleep")),
          Map.entry("monitor", Map.entry("blockInMonitor", "monitor")),
          Map.entry("lock", Map.entry("blockInLock", "park")),
          Map.entry("wait", Map.entry("blockInWait", "Object.wait")),
          Map.entry("socket", Map.entry("blockInSocket", "socket")),
          Map.entry("pipe", Map.entry("blockInPipe", "pipe")),
          Map.entry("file", Map.entry("blockInFile", "file")),
          Map.entry("mutex", Map.entry("blockInMutex", "native lock")));

  /** Those that block for a known time. */
  private static final Set<String> LONG =
      Set.of("sleep", "monitor", "lock", "wait", "socket", "pipe", "mutex");

  /** Of a block. The JVM spins before it blocks, for a sixth of these. */
  private static final double LEAST_TOLD = 0.7;

  private record Own(String thread, String method, Instant start, Instant end) {
    /** Whether it has this block in it. */
    boolean has(Waits.Block block) {
      return thread.equals(block.thread())
          && !block.start().isBefore(start.minus(APART))
          && !block.end().isAfter(end.plus(APART));
    }
  }

  /** One JDK beside each engine in turn: neither has much to do with the other. */
  static Stream<Arguments> runs() {
    List<Jdk> all = Jdk.onEnds().toList();
    return IntStream.range(0, all.size())
        .mapToObj(i -> Arguments.of(all.get(i), i % 2 == 0 ? "auto" : "timer"));
  }

  @ParameterizedTest
  @MethodSource("runs")
  void eventsAreWhatTheThreadsSay(Jdk jdk, String engine) {
    Waits[] last = new Waits[1];
    Enough.until(() -> hasAll(last[0].blocks), () -> last[0] = check(jdk, engine));
    assertTrue(hasAll(last[0].blocks), () -> last[0].blocks.toString());
  }

  /** Whether there are all kinds, and the thread that parks for ever. */
  private static boolean hasAll(List<Waits.Block> blocks) {
    return hasAllKinds(blocks)
        && blocks.stream()
            .anyMatch(
                block ->
                    block.thread().equals("forever")
                        && !block.isOver()
                        && block.state().equals("park")
                        && block.hasMethod("parkForEver"));
  }

  private static Waits check(Jdk jdk, String engine) {
    ForkedJvm jvm = Jvms.on(jdk).agent("blocked=5ms", "drain=100", "engine=" + engine).recording();
    jvm.options("-Xmx256m")
        .run(BlockedApp.class.getName(), Native.library("waiting-fp").toString(), ROUNDS)
        .successfully();
    Waits waits = Waits.of(jvm.recordingFile());
    List<Own> own = ownOf(waits);
    Map<String, Integer> counts = new TreeMap<>();
    List<String> wrong = new ArrayList<>();
    long busy = 0;
    for (Waits.Block block : waits.blocks) {
      if (block.isOver() && block.nanos() < THRESHOLD.toNanos() - 1_000) {
        wrong.add("shorter than the threshold: " + block);
      }
      boolean isBusy = block.thread().startsWith("busy-") && !ANYWHERE.contains(block.state());
      busy += isBusy ? block.nanos() : 0;
      if (block.thread().startsWith(BlockedApp.PREFIX) && block.isOver()) {
        String kind = block.thread().substring(BlockedApp.PREFIX.length());
        counts.merge(kind, 1, Integer::sum);
        check(kind, block, own, wrong);
      }
    }
    System.out.printf(
        "%s, %s: %d events %s, %d own blocks, %s%n",
        jdk, engine, waits.blocks.size(), counts, own.size(), waits.status);
    assertEquals(List.of(), wrong);
    assertTrue(busy < Duration.ofSeconds(1).toNanos(), "threads that compute: " + busy + " ns");
    for (String kind : LONG) {
      assertStates(kind, waits);
    }
    checkSums(waits, own);
    checkLengths(waits, own);
    return waits;
  }

  /** It lies within a block of its thread, and is what that block is. */
  private static void check(String kind, Waits.Block block, List<Own> own, List<String> wrong) {
    if (kind.equals("turns")) {
      checkTurn(block, own, wrong);
      return;
    }
    Map.Entry<String, String> expected = KINDS.get(kind);
    if (!block.hasMethod(expected.getKey())) {
      return; // it begins or commits its own event
    }
    if (own.stream().noneMatch(o -> o.has(block)) && !isLast(block, own)) {
      wrong.add("no such block: " + block);
    }
    boolean afterwards = block.state().equals("park") && !kind.equals("lock");
    if (!block.state().equals(expected.getValue())
        && !ANYWHERE.contains(block.state())
        && !afterwards) {
      wrong.add("not " + expected.getValue() + ": " + block);
    }
  }

  /** Its stack is that of this block, and not that of the one before or behind it. */
  private static void checkTurn(Waits.Block block, List<Own> own, List<String> wrong) {
    List<String> turns =
        block.frames().stream()
            .map(Waits.Frame::name)
            .filter(name -> name.startsWith("turnOf"))
            .toList();
    boolean isRight =
        turns.isEmpty()
            || isLast(block, own)
            || own.stream().anyMatch(o -> o.has(block) && turns.equals(List.of(o.method)));
    if (!isRight) {
      wrong.add("another turn: " + block);
    }
  }

  /** Most are what the thread does on purpose. */
  private static void assertStates(String kind, Waits waits) {
    Map.Entry<String, String> expected = KINDS.get(kind);
    Map<String, Integer> states = new TreeMap<>();
    for (Waits.Block block : waits.blocks) {
      if (block.thread().equals(BlockedApp.PREFIX + kind) && block.hasMethod(expected.getKey())) {
        states.merge(block.state(), 1, Integer::sum);
      }
    }
    int all = states.values().stream().mapToInt(Integer::intValue).sum();
    int right = states.getOrDefault(expected.getValue(), 0);
    assertTrue(2 * right >= all, () -> kind + ": " + states);
  }

  /** Whether the thread's own event of it was not written any more. */
  private static boolean isLast(Waits.Block block, List<Own> own) {
    return own.stream()
        .noneMatch(o -> o.thread.equals(block.thread()) && o.end.isAfter(block.start()));
  }

  /**
   * Half of the blocks that have events, or more of them, are told as long as they were, but for a
   * little.
   */
  private static void checkLengths(Waits waits, List<Own> own) {
    Map<String, List<Double>> told = new TreeMap<>();
    for (Own block : own) {
      long nanos = waits.blocks.stream().filter(block::has).mapToLong(Waits.Block::nanos).sum();
      if (nanos > 0) {
        told.computeIfAbsent(block.thread, key -> new ArrayList<>())
            .add((double) nanos / Duration.between(block.start, block.end).toNanos());
      }
    }
    for (String kind : LONG) {
      List<Double> shares = told.get(BlockedApp.PREFIX + kind);
      shares.sort(null);
      double median = shares.get(shares.size() / 2);
      System.out.printf("%s: %.3f of %d blocks%n", kind, median, shares.size());
      assertTrue(median >= LEAST_TOLD, () -> kind + ": " + shares);
    }
  }

  /** Nothing is missing that is not counted, and the sums are those of the events. */
  private static void checkSums(Waits waits, List<Own> own) {
    List<Waits.Block> over = waits.blocks.stream().filter(Waits.Block::isOver).toList();
    Instant first = over.stream().map(Waits.Block::start).min(Instant::compareTo).orElseThrow();
    Instant last = over.stream().map(Waits.Block::end).max(Instant::compareTo).orElseThrow();
    long inTime =
        own.stream()
            .filter(o -> LONG.contains(o.thread.substring(BlockedApp.PREFIX.length())))
            .filter(o -> Duration.between(o.start, o.end).toMillis() >= BlockedApp.MILLIS)
            .filter(o -> o.start.isAfter(first) && o.end.isBefore(last))
            .count();
    long accounted = 0;
    for (String field :
        List.of("blockedWritten", "blockedUnseen", "blockedDropped", "blockedLost")) {
      accounted += waits.status.get(field);
    }
    assertTrue(accounted >= 0.75 * inTime, accounted + " events and counts for " + inTime);
    assertTrue(waits.status.get("blockedWritten") <= over.size(), waits.status.toString());
  }

  /** What a thread waits for may be half over when it comes, but not each time. */
  static boolean hasAllKinds(List<Waits.Block> blocks) {
    return LONG.stream()
        .allMatch(
            kind ->
                blocks.stream()
                    .anyMatch(
                        block ->
                            block.isOver()
                                && block.thread().equals(BlockedApp.PREFIX + kind)
                                && block.hasMethod(KINDS.get(kind).getKey())
                                && block.state().equals(KINDS.get(kind).getValue())
                                && block.nanos() >= LONG_ENOUGH.toNanos()));
  }

  private static List<Own> ownOf(Waits waits) {
    return waits.events(BlockedApp.Own.NAME).stream()
        .map(
            event ->
                new Own(
                    event.getThread().getJavaName(),
                    event.getString("method"),
                    event.getStartTime(),
                    event.getEndTime()))
        .toList();
  }
}
