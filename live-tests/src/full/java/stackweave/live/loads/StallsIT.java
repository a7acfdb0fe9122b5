package stackweave.live.loads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.export.stall.CriticalSection;
import stackweave.jfr.export.stall.Safepoint;
import stackweave.jfr.export.stall.Stalls;
import stackweave.jfr.read.SampledRecording;
import stackweave.live.support.Jdks;
import stackweave.live.support.Jvms;
import stackweave.testing.ByChance;
import stackweave.testing.Ended;
import stackweave.testing.EventsByTime;
import stackweave.testing.Gcc;
import stackweave.testing.Jdk;

/**
 * Who keeps the JVM waiting, in a JDK that tells of critical sections, compared with what the
 * application says itself. {@link LoadsIT} has one that does not tell.
 */
@ByChance
class StallsIT {
  private static final String HOLD =
      """
      #include <jni.h>
      #include <time.h>
      static volatile long sink;
      static long now(void) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return t.tv_sec * 1000000000L + t.tv_nsec;
      }
      JNIEXPORT void JNICALL Java_stackweave_live_loads_StallsApp_hold(
          JNIEnv *e, jclass c, jintArray array, jint millis) {
        void *p = (*e)->GetPrimitiveArrayCritical(e, array, 0);
        long end = now() + millis * 1000000L;
        while (now() < end) {
          for (int i = 0; i < 100000; i++) { sink += i; }
        }
        (*e)->ReleasePrimitiveArrayCritical(e, array, p, 0);
      }
      """;

  /** Of times that two clocks measure, in ns. */
  private static final long APART = 2_000_000;

  @TempDir Path directory;

  @Test
  void reportNamesWhoKeepsTheJvmWaiting() throws Exception {
    Jdk jdk = Jdks.oldest();
    assumeTrue(jdk.feature() <= 21, "JDKs up to 21 tell of JNI critical sections");
    Path include = jdk.home().resolve("include");
    Path library =
        Gcc.library(directory, "hold", HOLD, "-I" + include, "-I" + include.resolve("linux"));
    Ended ended =
        Jvms.hotWithoutLibraries(jdk)
            .options("-Xmx256m", "-Xmn16m", "-XX:+UseG1GC", "-XX:-UseCountedLoopSafepoints")
            .agent()
            .recording("jdk.GCLocker#threshold=0ms", "jdk.SafepointBegin#threshold=1ms")
            .run("stackweave.live.loads.StallsApp", library.toString())
            .successfully();
    Map<String, Long> said = new HashMap<>();
    for (String line : ended.outLines()) {
      String[] words = line.split(" ");
      said.put(words[0], Long.parseLong(words[1]));
    }
    Stalls stalls = Stalls.of(SampledRecording.open(ended.recording()));

    List<Safepoint> late =
        stalls.safepoints().stream().filter(s -> s.thread().equals("looper")).toList();
    assertFalse(late.isEmpty(), "no safepoint that the looper delays");
    long nanos = 0;
    for (Safepoint safepoint : late) {
      assertTrue(safepoint.place().contains("StallsApp.longLoop"), safepoint::place);
      nanos += safepoint.nanos();
    }
    List<Safepoint> holders =
        stalls.safepoints().stream()
            .filter(s -> s.isExplained() && s.place().contains("StallsApp.hold"))
            .toList();
    assertEquals(List.of(), holders, "a thread in native code delays no safepoint");

    // The collector may wait for a section of the JDK's too, where a thread inflates a class.
    Map<Boolean, List<CriticalSection>> byHolder =
        stalls.criticalSections().stream()
            .collect(Collectors.partitioningBy(c -> c.thread().name().equals("holder")));
    assertEquals(
        EventsByTime.of(ended.recording()).stream()
            .filter(event -> event.getEventType().getName().equals("jdk.GCLocker"))
            .map(event -> event.getThread().getJavaName())
            .sorted()
            .toList(),
        stalls.criticalSections().stream().map(c -> c.thread().name()).sorted().toList());
    List<CriticalSection> critical = byHolder.get(true);
    assertFalse(critical.isEmpty(), "the collector waited for no critical section");
    for (CriticalSection each : critical) {
      assertTrue(each.method().contains("StallsApp.hold"), each::method);
      assertTrue(each.nanos() <= said.get("held") + APART, () -> each.nanos() + " of " + said);
    }
    for (CriticalSection each : byHolder.get(false)) {
      assertFalse(each.method().contains("StallsApp.hold"), () -> each.thread().name());
      System.out.println(each.thread().name() + " left last, in " + each.method());
    }
    System.out.printf(
        "%s: %d safepoints late by %d ms of %d ms, %d critical sections%n",
        jdk, late.size(), nanos / 1_000_000, said.get("stopped") / 1_000_000, critical.size());

    Ended command = Jvms.commandLine(jdk, "report", ended.recording().toString());
    String text = command.successfully().out();
    assertTrue(text.contains("StallsApp.longLoop, thread looper"), text);
    assertTrue(text.contains("StallsApp.hold, thread holder"), text);
  }
}
