package stackweave.live.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Gdb;
import stackweave.live.support.Jvms;
import stackweave.live.support.Native;
import stackweave.live.support.Waits;
import stackweave.testing.Commands;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.Promise;
import stackweave.testing.RunningCommand;

/**
 * Stacks of threads that wait, in 36 ways: the Java frames are those of getStackTrace(), the native
 * ones those of gdb, and what they wait for is known.
 */
@Order(3)
class WaitingIT {
  private static final int EACH = Integer.getInteger("it.waitingThreads", 3);

  /** In what the command {@code status} says. */
  private static final Pattern STACKS_READ = Pattern.compile("(\\d+) stacks read");

  /** Between two looks at that; it changes once a second. */
  private static final long STATUS_MILLIS = 1_500;

  private static final long MINUTE_MILLIS = 60_000;

  /** AArch64 has no system call pause; the C library calls ppoll there. */
  private static final String PAUSE =
      System.getProperty("os.arch").equals("aarch64") ? "epoll" : "code 1058";

  /** States by the names' first words; a debugger makes the kernel restart some calls. */
  private static final Map<String, Set<String>> STATES =
      Map.ofEntries(
          Map.entry("park", Set.of("park")),
          Map.entry("sleep", Set.of("sleep")),
          Map.entry("monitor", Set.of("monitor")),
          Map.entry("wait", Set.of("Object.wait")),
          Map.entry("lock", Set.of("park")),
          Map.entry("queue", Set.of("park")),
          Map.entry("accept", Set.of("socket")),
          Map.entry("read", Set.of("socket")),
          Map.entry("timedread", Set.of("socket", "not known")),
          Map.entry("datagram", Set.of("socket")),
          Map.entry("selector", Set.of("epoll")),
          Map.entry("fifo", Set.of("pipe")),
          Map.entry("child", Set.of("park", "Object.wait")),
          Map.entry("output", Set.of("pipe")),
          Map.entry("nanosleep", Set.of("sleep", "not known")),
          Map.entry("condition", Set.of("native lock")),
          Map.entry("semaphore", Set.of("native lock")),
          Map.entry("receive", Set.of("socket")),
          Map.entry("poll", Set.of("pipe", "not known")),
          Map.entry("pause", Set.of(PAUSE)),
          Map.entry("pipe", Set.of("pipe")),
          Map.entry("epoll", Set.of("epoll")),
          Map.entry("select", Set.of("epoll")),
          Map.entry("large", Set.of("sleep", "not known")),
          Map.entry("callback", Set.of("park")));

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onEnds")
  void stacksOfWaitingThreadsAreTrue(Jdk jdk) throws Exception {
    ForkedJvm jvm = Jvms.on(jdk).agent("wall=20ms", "drain=100").recording().options("-Xmx256m");
    RunningCommand running =
        jvm.start(
            WaitingApp.class.getName(),
            Integer.toString(EACH),
            Native.library("waiting-fp").toString(),
            Native.library("waiting-omitfp").toString());
    List<String> lines;
    Map<String, List<Gdb.Frame>> gdb = Map.of();
    try {
      lines = Files.readAllLines(await(jvm.directory().resolve("ready"), running));
      awaitStacks(jdk, running, lines.size());
      if (Commands.exist("gdb")) {
        gdb = Gdb.stacksOf(running.process());
      }
    } finally {
      Files.createFile(jvm.directory().resolve("end"));
      jvm.end(running).successfully();
    }

    Waits waits = Waits.of(jvm.recordingFile());
    Map<String, Waits.Sample> last = waits.last();
    List<String> wrong = new ArrayList<>();
    List<String> unseen = new ArrayList<>();
    Map<String, Integer> counts = new TreeMap<>();
    for (String line : lines) {
      String name = line.substring(0, line.indexOf('|'));
      Waits.Sample sample = last.get(name);
      if (sample == null) {
        counts.merge("not seen", 1, Integer::sum);
        unseen.add(name);
        continue;
      }
      counts.merge(sample.end(), 1, Integer::sum);
      check(name, line, sample, wrong);
      List<Gdb.Frame> theirs = gdb.get(name);
      if (theirs != null && waits.isComplete(sample)) {
        counts.merge("compared with gdb", 1, Integer::sum);
        List<Gdb.Frame> ours = Waits.nativeFrames(sample);
        if (!Gdb.same(outsideOfLibc(theirs), outsideOfLibc(ours))) {
          wrong.add(name + "\n  gdb: " + theirs + "\n  is:  " + ours);
        }
      }
    }
    System.out.printf(
        "%s, %d waiting threads: %s, not seen: %s, %s%n",
        jdk, lines.size(), counts, unseen, waits.status);
    assertEquals(List.of(), wrong);
    int seen = lines.size() - counts.getOrDefault("not seen", 0);
    // What a loop has reserved is not known: such a stack has a gap, and nothing false.
    long gaps =
        last.keySet().stream()
            .filter(name -> name.startsWith("large-fp-") && !waits.isComplete(last.get(name)))
            .count();
    assertTrue(seen >= lines.size() / 2, () -> "seen: " + counts);
    Promise.atLeast(
        "complete stacks of waiting threads",
        0.995,
        counts.getOrDefault("complete", 0) + counts.getOrDefault("complete with guessed frames", 0),
        seen - gaps);
    assumeTrue(!gdb.isEmpty(), "gdb is missing:  apt-get install gdb");
  }

  static Stream<Jdk> withVirtualThreads() {
    return Jdk.onNewest().filter(jdk -> jdk.feature() >= 21);
  }

  /** They have no stack to be read, which is said. */
  @ParameterizedTest
  @MethodSource("withVirtualThreads")
  void thatVirtualThreadsAreMissingIsSaid(Jdk jdk) throws Exception {
    ForkedJvm jvm = Jvms.withoutLibraries(jdk).agent("wall=20ms").recording();
    RunningCommand running = jvm.start(ParkedVirtualThreadsApp.class.getName(), "123");
    try {
      // A JDK 25 does not hear of an attach in its first moments.
      await(jvm.directory().resolve("ready"), running);
      awaitStatus(
          jdk,
          running,
          status -> status.contains("virtual threads that wait without a thread of the OS"));
    } finally {
      running.process().destroyForcibly();
    }
  }

  private static void awaitStatus(Jdk jdk, RunningCommand running, Predicate<String> wanted)
      throws InterruptedException {
    String pid = Long.toString(running.process().pid());
    long begin = System.nanoTime();
    while (true) {
      Thread.sleep(STATUS_MILLIS);
      String status = String.join("\n", Jvms.commandLine(jdk, "status", pid).outLines());
      if (wanted.test(status)) {
        return;
      }
      boolean isLate = (System.nanoTime() - begin) / 1_000_000 > 2 * MINUTE_MILLIS;
      assertTrue(running.process().isAlive() && !isLate, status);
    }
  }

  /** In the C library gdb shows tail calls as frames of their own, and the first has no address. */
  private static List<Gdb.Frame> outsideOfLibc(List<Gdb.Frame> frames) {
    return frames.stream().filter(frame -> !frame.module().startsWith("libc.so")).toList();
  }

  private static void check(String name, String line, Waits.Sample sample, List<String> wrong) {
    List<String> expected = Waits.framesOf(line);
    if (!Waits.javaFrames(sample).equals(expected)) {
      wrong.add(name + "\n  getStackTrace: " + expected + "\n  is: " + sample);
    }
    Set<String> states = STATES.get(name.substring(0, name.indexOf('-')));
    if (!states.contains(sample.state())) {
      wrong.add(name + " waits for " + sample.state() + ", not " + states);
    }
  }

  /** Waits until so many stacks are read and hardly any come any more; two minutes at most. */
  private static void awaitStacks(Jdk jdk, RunningCommand running, int threads)
      throws InterruptedException {
    String pid = Long.toString(running.process().pid());
    long begin = System.nanoTime();
    long before = -1;
    while ((System.nanoTime() - begin) / 1_000_000 < 2 * MINUTE_MILLIS) {
      Thread.sleep(STATUS_MILLIS);
      String status = String.join("\n", Jvms.commandLine(jdk, "status", pid).outLines());
      Matcher read = STACKS_READ.matcher(status);
      long now = read.find() ? Long.parseLong(read.group(1)) : 0;
      if (now >= threads && now - before < threads / 10) {
        return;
      }
      before = now;
    }
  }

  private static Path await(Path file, RunningCommand running) throws InterruptedException {
    long begin = System.nanoTime();
    while (!Files.exists(file)) {
      assertTrue(running.process().isAlive(), "it has ended");
      assertTrue((System.nanoTime() - begin) / 1_000_000 < 5 * MINUTE_MILLIS, "not ready");
      Thread.sleep(20);
    }
    return file;
  }
}
