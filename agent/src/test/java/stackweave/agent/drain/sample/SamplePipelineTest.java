package stackweave.agent.drain.sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.agent.drain.sample.OwnPipeline.of;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Test;
import stackweave.hotspot.model.FrameKind;
import stackweave.unwind.snapshot.StackSnapshot;

/** What becomes of a sample in the recording. */
class SamplePipelineTest {
  @Name("stackweave.test.Moment")
  @StackTrace(false)
  static class Moment extends Event {}

  /** System calls and page faults show what the kernel did: the innermost frames of the stack. */
  @Test
  void framesOfTheKernelAreTheInnermost() throws Exception {
    try (OwnPipeline own = new OwnPipeline()) {
      StackSnapshot snapshot = own.snapshot(System.nanoTime());
      long[] kernel = {0xffffffff81000123L, 0xffffffff81000456L};
      System.arraycopy(kernel, 0, snapshot.kernelFrames(), 0, kernel.length);
      snapshot.setKernelFrameCount(kernel.length);
      own.pipeline.sample(snapshot);
      List<RecordedEvent> events = own.events();
      List<Integer> kinds = new ArrayList<>();
      long id = of(events, "NativeSample").get(0).getLong("stackId");
      while (id != 0) {
        long wanted = id;
        RecordedEvent frame =
            of(events, "Frame").stream()
                .filter(each -> each.getLong("id") == wanted)
                .findFirst()
                .orElseThrow();
        kinds.add(frame.getInt("kind"));
        id = frame.getLong("parentId");
      }
      int inKernel = FrameKind.KERNEL.code();
      assertEquals(List.of(inKernel, inKernel), kinds.subList(0, 2));
      assertEquals(3, kinds.size(), "and where the thread was before");
    }
  }

  /** Compared with what JFR itself says of the moments before and after: else, logs don't match. */
  @Test
  void aSampleHasTheTimeAtWhichItWasTaken() throws Exception {
    try (OwnPipeline own = new OwnPipeline()) {
      own.pipeline.sample(own.snapshot(System.nanoTime())); // begins to compare the clocks
      for (int i = 0; i < 5; i++) {
        new Moment().commit();
        StackSnapshot snapshot = own.snapshot(System.nanoTime());
        new Moment().commit();
        own.pipeline.sample(snapshot);
      }
      List<RecordedEvent> events = own.events();
      List<RecordedEvent> moments = of(events, "test.Moment");
      List<RecordedEvent> samples = of(events, "NativeSample");
      Duration error = Duration.ofNanos(200_000);
      for (int i = 0; i < 5; i++) {
        Instant time = samples.get(i + 1).getStartTime();
        Instant before = moments.get(2 * i).getStartTime();
        Instant after = moments.get(2 * i + 1).getStartTime();
        assertTrue(time.isAfter(before.minus(error)), time + " before " + before);
        assertTrue(time.isBefore(after.plus(error)), time + " after " + after);
      }
    }
  }
}
