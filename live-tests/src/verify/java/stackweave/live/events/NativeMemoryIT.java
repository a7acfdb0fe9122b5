package stackweave.live.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.status.Counter;
import stackweave.lab.Built;
import stackweave.live.support.Jvms;
import stackweave.testing.ByChance;
import stackweave.testing.Ended;
import stackweave.testing.EventsByTime;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Gcc;
import stackweave.testing.Jdk;
import stackweave.testing.Promise;
import stackweave.testing.Starved;

/** The net growth of native memory by stack, compared with what a program leaked and gave back. */
@ByChance
class NativeMemoryIT {
  private static final long LEAKED = (long) MemoryApp.ROUNDS * MemoryApp.LEAK_KIB << 10;
  private static final long DIRECT = (long) MemoryApp.ROUNDS * MemoryApp.DIRECT_KIB << 10;

  private static final long NOISY = (long) MemoryApp.ROUNDS * MemoryApp.NOISY_KIB << 10;

  private static final long FOLLOWED = 8 * 4096;

  private static final String LIBRARY =
      """
      #include <jni.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/mman.h>
      #define KEEP __asm__ volatile("" ::: "memory")
      __attribute__((noinline)) void leaking(long kib) {
        for (long i = 0; i < kib / 64; i++) memset(malloc(65536), 1, 65536);
        KEEP;
      }
      __attribute__((noinline)) void churning(long kib) {
        char *p = mmap(0, kib * 1024, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        madvise(p, kib * 1024, MADV_NOHUGEPAGE);
        memset(p, 1, kib * 1024);
        munmap(p, kib * 1024);
        KEEP;
      }
      __attribute__((noinline)) void *noisy_leak(long size) {
        void *p = memset(malloc(size), 1, size);
        KEEP;
        return p;
      }
      __attribute__((noinline)) void *noise(void *old, long size) {
        free(old);
        void *p = memset(malloc(size), 1, size);
        KEEP;
        return p;
      }
      __attribute__((noinline)) void among_others(long kib) {
        static void *recent[16];
        for (int i = 0; kib == 0 && i < 16; i++) {
          free(recent[i]);
        }
        for (long left = kib * 1024, i = 0; left > 0; left -= 32768) {
          noisy_leak(32768);
          for (int j = 0; j < 20; j++, i++) recent[i % 16] = noise(recent[i % 16], 32768);
        }
        KEEP;
      }
      #define JAVA(method, name) \\
        JNIEXPORT void JNICALL Java_stackweave_live_events_MemoryApp_##method( \\
            JNIEnv *e, jclass c, jlong n) { name(n); KEEP; }
      JAVA(leak, leaking)
      JAVA(churn, churning)
      JAVA(leakAmongOthers, among_others)
      """;

  @TempDir static Path directory;

  private static Path recording;

  @BeforeAll
  static void record() throws Exception {
    Path library = Gcc.library(directory, "memory", LIBRARY, jniHeaders());
    ForkedJvm jvm = ForkedJvm.on(Jdk.all().get(0), directory);
    Ended ended =
        jvm.classPath(Built.classes() + Jvms.TESTS)
            .agent("native-memory=on,engine=timer,drain=100")
            .options("--add-exports", "java.base/jdk.internal.vm=ALL-UNNAMED")
            .recording("+stackweave.NativeAllocation#enabled=true")
            .run("stackweave.live.events.MemoryApp", library.toString())
            .successfully();
    assertEquals(List.of(Integer.toString(MemoryApp.ROUNDS)), ended.outLines());
    recording = ended.recording();
  }

  private static SampledRecording open(String event) throws Exception {
    return SampledRecording.open(
        recording,
        ReadingProgress.NONE,
        false,
        SampledFrame.Change.NONE,
        SampleChoice.ofEvent(event));
  }

  /** Blocks of these sizes are all followed, unless it falls far behind: so amounts are exact. */
  @Test
  void whatIsAllocatedHasGrownAndWhatIsFreedHasNot() throws Exception {
    String notes = notes(recording);
    // No root, an older kernel, or the JVM itself called malloc too often.
    assumeFalse(notes.contains("native allocations are not recorded"), notes);
    SampledRecording recording = open(SampledEvent.NATIVE_ALLOCATIONS);
    long leaked = growth(recording, "leaking ", "MemoryApp.leak");
    long noisy = growth(recording, "noisy_leak ", "MemoryApp.leakAmongOthers");
    long noise = growth(recording, "noise ", "MemoryApp.leakAmongOthers");
    long direct =
        growth(recording, "stackweave.live.events.MemoryApp.keepBuffer", "MemoryApp.main");
    System.out.printf(
        "allocated: leaked %d of %d KiB, among others %d of %d KiB, these %d KiB, direct %d of %d%n",
        leaked >> 10,
        LEAKED >> 10,
        noisy >> 10,
        NOISY >> 10,
        noise >> 10,
        direct >> 10,
        DIRECT >> 10);
    starvedIf(recording, Counter.ALLOCATIONS_LOST);
    assertNear(LEAKED, leaked);
    assertNear(NOISY, noisy);
    assertNear(DIRECT, direct);
    assertTrue(noise <= NOISY / 10, "given back: " + noise);
  }

  private static void assertNear(long truth, long found) {
    assertTrue(Math.abs(found - truth) <= truth / 5, found + " of " + truth);
  }

  private static void starvedIf(SampledRecording recording, Counter lost) {
    if (recording.figures().get(lost) > 0) {
      throw Starved.because(lost + ": " + recording.figures().get(lost));
    }
  }

  @Test
  void whatLeaksHasGrownAndWhatIsGivenBackHasNot() throws Exception {
    SampledRecording recording = open(SampledEvent.NATIVE_MEMORY);
    long leaked = growth(recording, "leaking ", "MemoryApp.leak");
    long churned = growth(recording, "churning ", "MemoryApp.churn");
    long direct =
        growth(recording, "stackweave.live.events.MemoryApp.keepBuffer", "MemoryApp.main");
    System.out.printf(
        "leaked %d of %d KiB, direct buffers %d of %d KiB, given back at once: %d KiB kept%n",
        leaked >> 10, LEAKED >> 10, direct >> 10, DIRECT >> 10, churned >> 10);
    long mapped = growth(recording, "stackweave.live.events.MemoryApp.touch", "MemoryApp.mapFile");
    assertTrue(mapped <= LEAKED / 20, "of files: " + mapped);
    starvedIf(recording, Counter.MEMORY_LOST);
    checkPages("leaked", LEAKED, leaked);
    checkPages("direct buffers", DIRECT, direct);
    checkPages("both", LEAKED + DIRECT, leaked + direct);
    assertTrue(churned <= LEAKED / 20, "given back at once: " + churned);
  }

  /** Of the pages one in eight is followed, by its address. */
  private static void checkPages(String what, long truth, long found) {
    Promise.count("pages followed, " + what, truth / FOLLOWED, 0.05, found / FOLLOWED);
  }

  /** Of the stacks with a frame, which must have the native method below it. */
  private static long growth(SampledRecording recording, String frame, String nativeMethod) {
    long[] bytes = new long[2];
    recording.forEachStack(
        (thread, end, frames, count, weight) -> {
          List<String> texts = frames.stream().map(SampledFrame::text).toList();
          if (texts.stream().anyMatch(text -> text.startsWith(frame))) {
            boolean isRight = texts.stream().anyMatch(text -> text.endsWith(nativeMethod));
            bytes[isRight ? 0 : 1] += weight;
          }
        });
    assertTrue(bytes[1] <= bytes[0] / 10, frame + ": " + bytes[1] + " with other callers");
    return bytes[0];
  }

  /** The compiler's options for jni.h of this JDK. */
  static String[] jniHeaders() {
    String include = System.getProperty("java.home") + "/include";
    return new String[] {"-g", "-I" + include, "-I" + include + "/linux"};
  }

  /** What the recording says of how it was sampled. */
  static String notes(Path file) throws IOException {
    return EventsByTime.statuses(file).stream()
        .map(event -> event.getString("note"))
        .distinct()
        .collect(Collectors.joining("; "));
  }
}
