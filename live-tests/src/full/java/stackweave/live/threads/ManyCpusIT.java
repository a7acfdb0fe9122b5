package stackweave.live.threads;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import stackweave.lab.Built;
import stackweave.live.support.Jdks;
import stackweave.live.support.Jvms;
import stackweave.testing.Ended;
import stackweave.testing.EventsByTime;

/**
 * As on 64 CPUs ({@code cpus.c} of the lab): events are held for threads within the budget only.
 */
@Isolated("measures")
class ManyCpusIT {
  private static final int CPUS = 64;
  private static final int THREADS = 2_500;
  private static final long MEBIBYTE = 1 << 20;

  /** What other processes of this machine may take up meanwhile. */
  private static final long OTHERS = 64 * MEBIBYTE;

  @Test
  void aBurstOfThreadsEndsPerfThreadWithinItsBudgetAndItComesBack() throws Exception {
    assumeTrue(
        Files.isReadable(Path.of("/proc/slabinfo")),
        "who is not root can't see the kernel's slabs");
    Path library = Built.library("cpus");
    Ended ended =
        Jvms.on(Jdks.oldest())
            .environment("LD_PRELOAD", library.toString())
            .environment("CPUS", "" + CPUS)
            .options("-XX:ActiveProcessorCount=2", "-Xss256k")
            .agent("engine=perf-thread")
            .recording()
            .run("stackweave.live.threads.ManyThreadsApp", "" + THREADS)
            .successfully();

    List<RecordedEvent> statuses = EventsByTime.statuses(ended.recording());
    long held = number(ended, "EVENTS ") * number(ended, "BYTES ");
    System.out.printf("%d threads on %d CPUs: %s%n", THREADS, CPUS, ended.outLines());
    assertAll(
        () -> assertTrue(held < 64 * MEBIBYTE + OTHERS, () -> "events took " + held + " bytes"),
        () -> assertEquals("perf", line(ended, "FULL "), "with all threads"),
        () -> assertEquals("perf-thread", line(ended, "FREE "), "when they are gone"),
        () -> assertTrue(statuses.stream().anyMatch(ManyCpusIT::saysWhy), statuses::toString),
        () ->
            assertTrue(
                statuses.stream()
                    .filter(status -> status.getString("engine").equals("perf-thread"))
                    .allMatch(status -> status.getLong("kernelMemory") <= 64 * MEBIBYTE),
                statuses::toString),
        () ->
            assertTrue(
                statuses.stream().anyMatch(status -> status.getLong("kernelMemory") > MEBIBYTE),
                statuses::toString));
  }

  private static boolean saysWhy(RecordedEvent status) {
    return status.getString("engine").equals("perf")
        && status.getString("engineReason").matches("perf-thread.*64 CPUs.*64 MiB.*");
  }

  private static long number(Ended ended, String key) {
    return Long.parseLong(line(ended, key));
  }

  private static String line(Ended ended, String key) {
    return ended.outLines().stream()
        .filter(line -> line.startsWith(key))
        .map(line -> line.substring(key.length()))
        .findFirst()
        .orElseThrow(() -> new AssertionError(ended.outLines().toString()));
  }
}
