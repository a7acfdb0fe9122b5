package stackweave.engine.timer.handler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineJvm;
import stackweave.engine.Recorder;
import stackweave.engine.RingProbe;
import stackweave.jfr.control.EngineKind;
import stackweave.linux.SystemCalls;
import stackweave.testing.Gcc;
import stackweave.unwind.Architecture;

/** The ring's memory is there before a handler writes to it, and is as large as is granted. */
@ResourceLock("TimerEngine") // one runs in a process
class RingMemoryIT {
  @TempDir static Path directory;

  private static final int ENOMEM = 12;
  private static final int MREMAP = 25;

  /** By what the kernel says of the mapping: at the start, before the first sample, and anew. */
  @Test
  void allPagesAreThereBeforeTheFirstSample() throws Exception {
    for (int i = 0; i < 2; i++) {
      long[] sizes = {0, 0};
      long[] ring = {0};
      Recorder recorder = new Recorder();
      CountDownLatch looked = new CountDownLatch(1);
      recorder.onStep =
          engine -> {
            if (looked.getCount() > 0) {
              ring[0] = engine.statistics().get(EngineFigure.RING_BYTES);
              sizes[0] = ofRing("Size:");
              sizes[1] = ofRing("Rss:");
              looked.countDown();
            }
          };
      recorder.run(
          new EngineConfig(10_000_000, EngineConfig.MAX_STACK_BYTES, EngineKind.TIMER),
          () -> assertTrue(looked.await(2, TimeUnit.MINUTES)));
      assertTrue(ring[0] > 0);
      assertEquals(2 * ring[0], sizes[0], "both views");
      assertEquals(sizes[0], sizes[1], "resident");
      assertEquals(0, ofRing("Size:"), "left behind");
    }
  }

  /** Bytes of all mappings of shared anonymous memory. */
  private static long ofRing(String field) {
    try {
      long sum = 0;
      boolean ring = false;
      for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
        if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
          ring = line.contains("rw-s") && line.contains("/dev/zero");
        } else if (ring && line.startsWith(field)) {
          sum += 1024 * Long.parseLong(line.replaceAll("[^0-9]", ""));
        }
      }
      return sum;
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void whereLessIsGrantedTheRingIsSmaller() throws Exception {
    EngineJvm jvm = new EngineJvm(directory);
    EngineJvm.Result result = jvm.run(RingProbe.class, EngineJvm.jdks().get(0), List.of(), "20");
    assertEquals("TIMER", result.line("engine"), result.output());
    int ring = Integer.parseInt(result.line("ring"));
    assertTrue(ring == 4 || ring == 8, result.output());
  }

  @Test
  void whereNothingIsGrantedTheEngineRefuses() throws Exception {
    assumeTrue(SystemCalls.current().orElseThrow().architecture() == Architecture.X86_64);
    EngineJvm jvm = new EngineJvm(directory);
    String deny = Gcc.compile(directory, "deny.c", "deny").toString();
    List<String> wrapper = List.of(deny, "" + ENOMEM, "" + MREMAP);
    EngineJvm.Result result =
        jvm.run(EngineJvm.jdks().get(0), wrapper, "1000", "100", "0", "TIMER");
    String refusal = result.line("refusal");
    assertTrue(refusal.startsWith("RING_MEMORY timer: the kernel grants no memory"), refusal);
    assertTrue(refusal.contains("[ENOMEM]"), refusal);
    assertFalse(result.line("engine").equals("TIMER"), result.output());
    assertEquals("done", result.line("application"), result.output());
  }
}
