package stackweave.live.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import stackweave.live.support.Jdks;
import stackweave.live.support.Jvms;
import stackweave.live.support.Native;
import stackweave.live.support.Waits;
import stackweave.testing.Commands;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.RunningCommand;

/** Blocked threads: who wakes them, and what is recorded where they are not timed. */
class BlockedMoreIT {
  /** In what the command {@code status} says. */
  private static final Pattern WRITTEN = Pattern.compile("blocked: (\\d+) times");

  /** Of all threads together; a quiet machine has them in a second. */
  private static final int MIN_EVENTS = 60;

  private static final long PATIENCE_MILLIS = 300_000;
  private static final String PREFIX = BlockedApp.PREFIX;
  private static final Map<String, Map.Entry<String, String>> KINDS = BlockedIT.KINDS;

  /**
   * The program knows who wakes whom: what is held is given back by a partner, a sleep ends by the
   * timer's interrupt. In a mount namespace of its own, since machines differ in what is mounted.
   */
  @Test
  void whoWakesAThreadIsRecordedWhereTracefsIs() throws Exception {
    assumeTrue(canMountTracefs(), "only root mounts tracefs");
    Jdk jdk = Jdks.newest();
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
      if (!block.isOver() || !block.thread().startsWith(PREFIX)) {
        continue;
      }
      String kind = block.thread().substring(PREFIX.length());
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
          return BlockedIT.hasAllKinds(Waits.of(dump).blocks);
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
    assertEquals(0, waits.status.get("blockedCpu"));
  }

  @Test
  void whereTheKernelRefusesItIsSaidAndSamplingGoesOn() throws Exception {
    Jdk jdk = Jdks.oldest();
    ForkedJvm jvm =
        Jvms.on(jdk)
            .agent("blocked=5ms", "wall=20ms", "engine=perf")
            .recording()
            .under(Native.program("refuse_perf").toString());
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
        .start(BlockedApp.class.getName(), Native.library("waiting-fp").toString());
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
}
