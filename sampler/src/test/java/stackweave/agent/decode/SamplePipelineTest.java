package stackweave.agent.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.agent.decode.OwnPipeline.NOWHERE;
import static stackweave.agent.decode.OwnPipeline.TID;
import static stackweave.agent.decode.OwnPipeline.of;
import static stackweave.jfr.event.SampleRecord.Kind.CPU;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.hotspot.model.HotSpotMethod;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;
import stackweave.testing.Gcc;
import stackweave.unwind.StopReason;
import stackweave.unwind.snapshot.StackSnapshot;

/** What becomes of a sample in the recording. */
class SamplePipelineTest {
  /** System calls and page faults show what the kernel did: the innermost frames of the stack. */
  @Test
  void framesOfTheKernelAreTheInnermost() throws Exception {
    try (OwnPipeline own = new OwnPipeline()) {
      StackSnapshot snapshot = own.snapshot(System.nanoTime());
      long[] kernel = {0xffffffff81000123L, 0xffffffff81000456L};
      System.arraycopy(kernel, 0, snapshot.kernelFrames(), 0, kernel.length);
      snapshot.setKernelFrameCount(kernel.length);
      own.pipeline.sample(snapshot);
      List<String> kinds = new ArrayList<>();
      own.written().get(0).frames().forEach(frame -> kinds.add(frame.kind()));
      String inKernel = "kind " + FrameKind.KERNEL.code();
      assertEquals(List.of(inKernel, inKernel), kinds.subList(1, 3));
      assertEquals(3, kinds.size(), "and where the thread was before");
    }
  }

  @Test
  void aJavaFrameHasItsLineAndItsCompiler() throws Exception {
    try (OwnPipeline own = new OwnPipeline()) {
      FrameBuffer frames = new FrameBuffer(8);
      int caller =
          own.decoder().methods().intern(new HotSpotMethod("app.A", "outer", "()V", 1, "A.java"));
      int callee =
          own.decoder().methods().intern(new HotSpotMethod("app.A", "inner", "()V", 2, "A.java"));
      frames.addHotSpot(FrameKind.INLINED, NOWHERE, true, callee, 7, 42);
      frames.addHotSpot(FrameKind.C1, NOWHERE, true, caller, 9, 17);
      frames.finish(StopReason.COMPLETE);
      long stack =
          own.decoder().names().stackId(frames, own.decoder().process().modules().latest());
      long thread = own.store.thread(TID, "main", 1, false, 0, null);
      assertTrue(
          own.store.write(
              new SampleRecord().begin(CPU, System.nanoTime(), 1).stack(thread, stack, 0, 0)));
      List<String> recorded = new ArrayList<>();
      for (SampledFrame frame : own.written().get(0).frames()) {
        SampledMethod method = frame.method();
        recorded.add(
            String.format(
                "%s.%s %s:%d bci %d %s",
                method.className(),
                method.name(),
                method.sourceFile(),
                frame.line(),
                frame.offset(),
                frame.kind()));
      }
      int c1 = FrameKind.C1.code();
      int inlined = FrameKind.INLINED.code();
      assertEquals(
          List.of(
              "app.A.outer A.java:17 bci 9 kind " + c1,
              "app.A.inner A.java:42 bci 7 kind " + inlined),
          recorded);
    }
  }

  /** A thread that is interrupted before a function's first instruction is in that function. */
  @Test
  void aFunctionBeginsAtItsFirstInstruction(@TempDir Path directory) throws Exception {
    String id = "0123456789abcdef0123456789abcdef01234567";
    String source = "int first(int x) { return x + 1; } int second(int x) { return x + 2; }";
    Path library = Gcc.library(directory, "two", source, "-Wl,--build-id=0x" + id);
    try (OwnPipeline own = new OwnPipeline()) {
      System.load(library.toString());
      own.decoder().process().modules().refresh(System.nanoTime());
      StackSnapshot snapshot = own.snapshot(System.nanoTime());
      snapshot
          .registers()
          .setPc(own.decoder().process().modules().latest().named("libtwo.so").addressOf("second"));
      own.pipeline.sample(snapshot);
      snapshot.registers().setPc(snapshot.registers().pc() + 3);
      own.pipeline.sample(snapshot);
      List<SampledFrame> frames = new ArrayList<>();
      own.written().forEach(sample -> frames.addAll(sample.frames()));
      assertEquals(List.of(0L, 3L), frames.stream().map(SampledFrame::offset).toList());
      for (SampledFrame frame : frames) {
        assertEquals("second", frame.method().name());
        // By which symbol servers find it.
        assertEquals(id, frame.method().module().buildId());
      }
    }
  }

  /** Compared with what JFR itself says of the moments before and after: else, logs don't match. */
  @Test
  void aSampleHasTheTimeAtWhichItWasTaken() throws Exception {
    try (OwnPipeline own = new OwnPipeline()) {
      own.pipeline.sample(own.snapshot(System.nanoTime())); // begins to compare the clocks
      for (int i = 0; i < 5; i++) {
        new OwnPipeline.Moment().commit();
        StackSnapshot snapshot = own.snapshot(System.nanoTime());
        new OwnPipeline.Moment().commit();
        own.pipeline.sample(snapshot);
      }
      List<RecordedEvent> events = own.events();
      List<RecordedEvent> moments = of(events, "test.Moment");
      List<RecordedEvent> samples = of(events, "StackSample");
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
