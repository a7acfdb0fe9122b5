package stackweave.live.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.status.Counter;
import stackweave.lab.Built;
import stackweave.live.support.Jvms;
import stackweave.testing.ByChance;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Gcc;
import stackweave.testing.Jdk;
import stackweave.testing.Starved;

/**
 * Samples of events, compared with how often a program made them happen, and with the kernel's own
 * counts of its thread.
 */
@ByChance
class EventSamplesIT {
  private static final long OFTEN = (long) EventsApp.ROUNDS * EventsApp.OFTEN;
  private static final long SELDOM = (long) EventsApp.ROUNDS * EventsApp.SELDOM;

  /** Where too many samples are lost or thinned out, the program runs again: so often at most. */
  private static final int RUNS = 3;

  /** All were seen, unless samples were lost. */
  private static final double LEAST = 0.95;

  /** Events of the thread beside those that it makes happen on purpose. */
  private static final long OTHERS = 200;

  private static final String LIBRARY =
      """
      #include <jni.h>
      #include <sys/mman.h>
      #include <time.h>
      #define KEEP __asm__ volatile("" ::: "memory")
      static void touch(long pages) {
        char *p = mmap(0, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        madvise(p, pages * 4096, MADV_NOHUGEPAGE);
        for (long i = 0; i < pages; i++) ((volatile char *) p)[i * 4096] = 1;
        munmap(p, pages * 4096);
      }
      static void nap(long times) {
        struct timespec t = {0, 1000};
        for (long i = 0; i < times; i++) nanosleep(&t, 0);
      }
      __attribute__((noinline)) void events_called(long n) { KEEP; }
      static void call(long times) { for (long i = 0; i < times; i++) events_called(i); }
      #define PLACES(name) \\
        __attribute__((noinline)) void name##_often(long n) { name(n); KEEP; } \\
        __attribute__((noinline)) void name##_seldom(long n) { name(n); KEEP; }
      PLACES(touch)
      PLACES(nap)
      PLACES(call)
      #define JAVA(method, name) \\
        JNIEXPORT void JNICALL Java_stackweave_live_events_EventsApp_##method( \\
            JNIEnv *e, jclass c, jboolean often, jlong n) { \\
          if (often) name##_often(n); else name##_seldom(n); KEEP; \\
        }
      JAVA(touch, touch)
      JAVA(sleep, nap)
      JAVA(call, call)
      """;

  private static final String MOUNT = "mount -t tracefs none /sys/kernel/tracing";

  @TempDir static Path directory;

  @Test
  void aSampleIsWhereItsEventHappened() throws Exception {
    Path library = Gcc.library(directory, "events", LIBRARY, NativeMemoryIT.jniHeaders());
    boolean hasTracepoints = Commands.run("unshare", "-m", "sh", "-c", MOUNT).exit() == 0;
    List<String> lost = new ArrayList<>();
    for (int i = 0; i < RUNS; i++) {
      lost.clear();
      run(library, hasTracepoints, lost);
      if (lost.isEmpty()) {
        return;
      }
    }
    throw Starved.because(String.join("; ", lost));
  }

  private static void run(Path library, boolean hasTracepoints, List<String> lost)
      throws Exception {
    ForkedJvm jvm = ForkedJvm.on(Jdk.all().get(0), directory);
    if (hasTracepoints) {
      jvm.under("unshare", "-m", "sh", "-c", MOUNT + " && exec \"$@\"", "sh");
    }
    Ended ended =
        jvm.classPath(Built.classes() + Jvms.TESTS)
            .agent("drain=100")
            .options("--add-exports", "java.base/jdk.internal.vm=ALL-UNNAMED")
            // The heap's own page faults would be more than a ring has room for.
            .options("-XX:+UseSerialGC", "-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch")
            .run(
                "stackweave.live.events.EventsApp",
                library.toString(),
                directory.toString(),
                Boolean.toString(hasTracepoints))
            .successfully();
    Map<String, Long> counted = new HashMap<>();
    for (String line : ended.outLines()) {
      String[] words = line.split(" ");
      counted.put(words[0], Long.parseLong(words[1]));
    }
    assertEquals(hasTracepoints ? 4 : 3, counted.size(), ended.out());
    check("page-faults", "TOUCH.jfr", "touch", "touch", counted.get("page-faults"), lost);
    check("context-switches", "SLEEP.jfr", "nap", "sleep", counted.get("context-switches"), lost);
    check("libevents.so:events_called", "CALL.jfr", "call", "call", OFTEN + SELDOM, lost);
    if (hasTracepoints) {
      String event = "syscalls:sys_enter_clock_nanosleep";
      check(event, "TRACE.jfr", "nap", "sleep", OFTEN + SELDOM, lost);
    }
    String many = NativeMemoryIT.notes(directory.resolve("MANY.jfr"));
    assertTrue(breakpointShare(many) > 0, many);
    // Not said, or little: what a trap takes is measured, and differs with the machine's load.
    String few = NativeMemoryIT.notes(directory.resolve("CALL.jfr"));
    assertTrue(breakpointShare(few) < breakpointShare(many) / 2, few + " but of many " + many);
  }

  /** The highest share of the CPU time, in percent, that is said; 0 if none is. */
  private static int breakpointShare(String notes) {
    Matcher said =
        Pattern.compile(
                "the breakpoints of libevents[.]so:events_called are estimated to take (\\d+) %")
            .matcher(notes);
    return said.results().mapToInt(found -> Integer.parseInt(found.group(1))).max().orElse(0);
  }

  private static void check(
      String event, String file, String place, String java, long counted, List<String> lost)
      throws Exception {
    SampledRecording recording =
        SampledRecording.open(
            directory.resolve(file),
            ReadingProgress.NONE,
            false,
            SampledFrame.Change.NONE,
            SampleChoice.ofEvent(event));
    assertEquals(Map.of(event, recording.samples()), recording.eventSamples());
    assertEquals(0, recording.figures().get(Counter.CPU_COVERED), "no CPU time");
    long often = weight(recording, place + "_often", "EventsApp." + java, "EventsApp.often");
    long seldom = weight(recording, place + "_seldom", "EventsApp." + java, "EventsApp.seldom");
    System.out.printf(
        "%s: %d of %d, %d of %d, %d counted by the kernel, %d lost, %d thinned out%n",
        event,
        often,
        OFTEN,
        seldom,
        SELDOM,
        counted,
        recording.figures().get(Counter.LOST),
        recording.figures().get(Counter.THINNED));
    assertTrue(counted >= OFTEN + SELDOM && counted <= OFTEN + SELDOM + OTHERS, event + counted);
    long missing = recording.figures().get(Counter.LOST);
    long thinned = recording.figures().get(Counter.THINNED);
    // The kernel may preempt a thread where it sleeps, too.
    boolean isMore = often > OFTEN + OTHERS || seldom > SELDOM + OTHERS;
    boolean isLess = often < LEAST * OFTEN || seldom < LEAST * SELDOM;
    boolean isSaid = often + seldom + missing >= LEAST * (OFTEN + SELDOM);
    if (thinned > 0 && (isMore || isLess) || isLess && !isMore && isSaid) {
      // Few samples stand for many, and say little of amounts.
      lost.add(event + ": " + missing + " lost, " + thinned + " thinned out");
    } else {
      assertFalse(isMore || isLess, often + ", " + seldom);
    }
  }

  /** Of the stacks with a native function they are all that have its Java callers in order, too. */
  private static long weight(
      SampledRecording recording, String function, String nativeMethod, String caller) {
    long[] weight = new long[2];
    recording.forEachStack(
        (thread, end, frames, count, sum) -> {
          List<String> texts = frames.stream().map(SampledFrame::text).toList();
          int at = indexOf(texts, function + " ");
          if (at >= 0 && thread.name().equals("worker")) {
            int method = indexOf(texts, "stackweave.live.events." + nativeMethod);
            int from = indexOf(texts, "stackweave.live.events." + caller);
            boolean isRight = from >= 0 && from < method && method < at && end.isComplete();
            weight[isRight ? 0 : 1] += sum;
          }
        });
    assertTrue(weight[1] <= weight[0] / 50, function + ": " + weight[1] + " with other callers");
    return weight[0];
  }

  private static int indexOf(List<String> texts, String beginning) {
    for (int i = 0; i < texts.size(); i++) {
      if (texts.get(i).startsWith(beginning)) {
        return i;
      }
    }
    return -1;
  }
}
