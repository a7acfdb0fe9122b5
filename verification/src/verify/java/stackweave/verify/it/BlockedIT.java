package stackweave.verify.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.Commands;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.RunningCommand;
import stackweave.verify.Built;

/**
 * Events of blocked threads, compared with what the threads say themselves, on the same clock: each
 * lies within a block that the thread has had, with the stack and the state of that one.
 */
class BlockedIT {
  /** In what the command {@code status} says. */
  private static final Pattern WRITTEN = Pattern.compile("blocked: (\\d+) times");

  /** Of all threads together; a quiet machine has them in a second. */
  private static final int MIN_EVENTS = 60;

  private static final Duration THRESHOLD = Duration.ofMillis(5);
  private static final Duration LONG_ENOUGH = Duration.ofMillis(BlockedApp.MILLIS / 2);
  private static final long PATIENCE_MILLIS = 300_000;

  /** How far two readings of JFR's clock, converted to and fro, may be apart. */
  private static final Duration APART = Duration.ofMillis(1);

  /** Of a thread that waits for the JVM wherever it is, as for memory or at a safepoint. */
  private static final Set<String> ANYWHERE =
      Set.of("lock of the JVM", "native lock", "page fault", "not known");

  /** The method that blocks, and the state in it. */
  private static final Map<String, Map.Entry<String, String>> KINDS =
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
    List<Jdk> all = Jdks.all().toList();
    return IntStream.range(0, all.size())
        .mapToObj(i -> Arguments.of(all.get(i), i % 2 == 0 ? "auto" : "timer"));
  }

  @ParameterizedTest
  @MethodSource("runs")
  void eventsAreWhatTheThreadsSay(Jdk jdk, String engine) throws Exception {
    ForkedJvm jvm = Jvms.on(jdk).agent("blocked=5ms", "drain=100", "engine=" + engine).recording();
    RunningCommand running = start(jvm);
    Path directory = jvm.directory();
    try {
      awaitEvents(jdk, running, MIN_EVENTS / 3);
      Files.createFile(directory.resolve("park"));
      awaitEvents(jdk, running, MIN_EVENTS);
      awaitAll(jdk, running, directory);
    } finally {
      Files.createFile(directory.resolve("end"));
      jvm.end(running).successfully();
    }

    Waits waits = Waits.of(jvm.recordingFile());
    List<Own> own = ownOf(jvm.recordingFile());
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
    assertTrue(hasAllKinds(waits.blocks), counts.toString());
    assertTrue(busy < Duration.ofSeconds(1).toNanos(), "threads that compute: " + busy + " ns");
    for (String kind : LONG) {
      assertStates(kind, waits);
    }
    checkSums(waits, own);
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
    long nanos = over.stream().mapToLong(Waits.Block::nanos).sum();
    long stated = waits.status.get("blockedTime");
    assertTrue(stated <= 1.001 * nanos, stated + " ns stated, " + nanos + " in events");
  }

  /**
   * The program knows who wakes whom: what is held is given back by a partner, a sleep ends by the
   * timer's interrupt. In a mount namespace of its own, since machines differ in what is mounted.
   */
  @Test
  void whoWakesAThreadIsRecordedWhereTracefsIs() throws Exception {
    assumeTrue(canMountTracefs(), "only root mounts tracefs");
    Jdk jdk = Jdks.all().reduce((first, second) -> second).orElseThrow();
    ForkedJvm jvm =
        Jvms.on(jdk)
            .agent("blocked=5ms", "drain=100")
            .recording()
            .under("unshare", "-m", "sh", "-c", MOUNT + " && exec \"$@\"", "sh");
    RunningCommand running = start(jvm);
    try {
      awaitEvents(jdk, running, MIN_EVENTS);
      awaitWaking(jdk, running, jvm.directory());
    } finally {
      Files.createFile(jvm.directory().resolve("end"));
      jvm.end(running).successfully();
    }
    Map<String, Map<String, Integer>> wakers = new TreeMap<>();
    Waits waits = Waits.of(jvm.recordingFile());
    for (Waits.Block block : waits.blocks) {
      if (!block.isOver() || !block.thread().startsWith(BlockedApp.PREFIX)) {
        continue;
      }
      String kind = block.thread().substring(BlockedApp.PREFIX.length());
      if (KINDS.containsKey(kind)
          && block.hasMethod(KINDS.get(kind).getKey())
          && block.state().equals(KINDS.get(kind).getValue())) {
        wakers
            .computeIfAbsent(kind, key -> new TreeMap<>())
            .merge(waker(block, running.pid()), 1, Integer::sum);
        assertTrue(block.wakeDelay() >= 0 && block.wakeDelay() <= block.nanos(), block::toString);
        assertTrue(block.waker().isEmpty() || block.wakerPid() == running.pid(), block::toString);
      }
    }
    System.out.println("who wakes: " + wakers);
    for (String kind : List.of("lock", "mutex", "pipe")) {
      assertWoken(kind, "partner-" + kind, wakers.get(kind));
    }
    assertWoken("sleep", "an interrupt", wakers.get("sleep"));
  }

  /**
   * By no other; which thread it is may not be known at first, and of interrupts on idle CPUs up to
   * half are not recorded.
   */
  private static void assertWoken(String kind, String by, Map<String, Integer> wakers) {
    int all = wakers.values().stream().mapToInt(Integer::intValue).sum();
    assertTrue(10 * wakers.getOrDefault(by, 0) > all, kind + ": " + wakers);
    assertTrue(
        wakers.keySet().stream()
            .allMatch(waker -> waker.equals(by) || waker.matches("process 0|a thread")),
        kind + ": " + wakers);
  }

  private static final String MOUNT = "mount -t tracefs none /sys/kernel/tracing";

  private static boolean canMountTracefs() throws Exception {
    return Commands.run("unshare", "-m", "sh", "-c", MOUNT).exit() == 0;
  }

  private static String waker(Waits.Block block, long ownPid) {
    if (!block.waker().isEmpty()) {
      return block.waker();
    }
    return block.wakerPid() == -1
        ? "an interrupt"
        : block.wakerPid() == ownPid ? "a thread" : "process " + block.wakerPid();
  }

  /** Until a dump has blocks of each kind with a waker: each dump ends a chunk. */
  private static void awaitWaking(Jdk jdk, RunningCommand running, Path directory)
      throws Exception {
    Path dump = directory.resolve("dump.jfr");
    await(
        () -> {
          Files.deleteIfExists(dump);
          Commands.run(
                  jdk.home().resolve("bin/jcmd"),
                  Long.toString(running.pid()),
                  "JFR.dump",
                  "filename=" + dump)
              .successfully();
          return hasAllKinds(Waits.of(dump).blocks);
        });
  }

  @Test
  void withoutBeingAskedForNothingIsRecorded() throws Exception {
    Jdk jdk = Jdks.oldest();
    ForkedJvm jvm = Jvms.on(jdk).agent().recording();
    RunningCommand running = start(jvm);
    try {
      await(
          () ->
              Jvms.commandLine(jdk, "status", Long.toString(running.pid())).outLines().stream()
                  .anyMatch(line -> line.matches("samples: [1-9].*")));
      String status =
          String.join(
              "\n", Jvms.commandLine(jdk, "status", Long.toString(running.pid())).outLines());
      assertTrue(!status.contains("blocked"), status);
    } finally {
      Files.createFile(jvm.directory().resolve("end"));
      jvm.end(running).successfully();
    }
    Waits waits = Waits.of(jvm.recordingFile());
    assertEquals(List.of(), waits.blocks);
    assertEquals(0, waits.status.get("blockedSwitches"));
    assertEquals(0, waits.status.get("blockedDescriptors"));
  }

  @Test
  void whereTheKernelRefusesItIsSaidAndSamplingGoesOn() throws Exception {
    Jdk jdk = Jdks.oldest();
    ForkedJvm jvm =
        Jvms.on(jdk)
            .agent("blocked=5ms", "wall=20ms", "engine=perf")
            .recording()
            .under(Built.nativeFile("refuse_perf").toString());
    RunningCommand running = start(jvm);
    String pid = Long.toString(running.pid());
    try {
      await(
          () -> {
            String status = String.join("\n", Jvms.commandLine(jdk, "status", pid).outLines());
            return status.contains("blocked threads are not timed: perf: a filter in front of the")
                && status.matches("(?s).*waiting: [1-9]\\d* samples.*");
          });
    } finally {
      Files.createFile(jvm.directory().resolve("end"));
      jvm.end(running).successfully();
    }
    Waits waits = Waits.of(jvm.recordingFile());
    assertEquals(List.of(), waits.blocks);
    assertTrue(waits.note.contains("blocked threads are not timed: perf: a filter"), waits.note);
    assertTrue(!waits.samples.isEmpty());
  }

  private static RunningCommand start(ForkedJvm jvm) {
    return jvm.options("-Xmx256m")
        .start(BlockedApp.class.getName(), Built.library("waiting-fp").toString());
  }

  /** A condition that may take five minutes. */
  private interface Condition {
    boolean isMet() throws Exception;
  }

  private static void await(Condition condition) throws Exception {
    long begin = System.nanoTime();
    while (!condition.isMet()) {
      assertTrue((System.nanoTime() - begin) / 1_000_000 < PATIENCE_MILLIS, "not in 5 minutes");
      Thread.sleep(500);
    }
  }

  private static void awaitEvents(Jdk jdk, RunningCommand running, int events) throws Exception {
    String pid = Long.toString(running.pid());
    await(
        () -> {
          String status = String.join("\n", Jvms.commandLine(jdk, "status", pid).outLines());
          Matcher written = WRITTEN.matcher(status);
          return written.find() && Integer.parseInt(written.group(1)) >= events;
        });
  }

  /** Until a dump has all, and the thread that parks for ever: each dump ends a chunk. */
  private static void awaitAll(Jdk jdk, RunningCommand running, Path directory) throws Exception {
    Path dump = directory.resolve("dump.jfr");
    await(
        () -> {
          Files.deleteIfExists(dump);
          Commands.run(
                  jdk.home().resolve("bin/jcmd"),
                  Long.toString(running.pid()),
                  "JFR.dump",
                  "filename=" + dump)
              .successfully();
          List<Waits.Block> blocks = Waits.of(dump).blocks;
          return hasAllKinds(blocks)
              && blocks.stream()
                  .anyMatch(
                      block ->
                          block.thread().equals("forever")
                              && !block.isOver()
                              && block.state().equals("park")
                              && block.hasMethod("parkForEver"));
        });
  }

  /** What a thread waits for may be half over when it comes, but not each time. */
  private static boolean hasAllKinds(List<Waits.Block> blocks) {
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

  private static List<Own> ownOf(Path recording) throws Exception {
    List<Own> own = new ArrayList<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(recording)) {
      if (event.getEventType().getName().equals(BlockedApp.Own.NAME)) {
        own.add(
            new Own(
                event.getThread().getJavaName(),
                event.getString("method"),
                event.getStartTime(),
                event.getEndTime()));
      }
    }
    return own;
  }
}
