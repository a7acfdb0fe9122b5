package stackweave.agent.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Test;
import stackweave.agent.feature.Feature;
import stackweave.agent.feature.waiting.WaitingFeature;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.control.SampledFeature;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.testing.WaitingThread;

/** Samples of waiting threads beside an engine of CPU time. */
class FakeEngineWallTest extends FakeEngineRuns {
  private static final String NAME = "wanted-thread";

  @Override
  List<Feature> features() {
    return List.of(new WaitingFeature(SampledFeature.WAITING, NAME + "|all", 100));
  }

  @Test
  void theThreadsThatAreAskedForAreLookedAtAsOftenAsAsked() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    Thread wanted = WaitingThread.start(NAME, end);
    Thread other = WaitingThread.start("other-thread", end);
    try {
      next(engine());
      recording.enable(WallSample.NAME);
      sampler.onRequest(
          new SamplingRequest(
              SampledEvent.CPU,
              MILLISECOND,
              "auto",
              64,
              Map.of(SampledFeature.WAITING, 3 * MILLISECOND),
              false,
              List.of("test"),
              List.of()));
      await(sampler::hasStarted);
      await(() -> sampler.report().contains(" threads looked at every 3 ms"));
      // The first is written after a second, or when the chunk ends.
      await(() -> sampler.report().matches("(?s).*waiting: [1-9].*"));
      List<RecordedEvent> events = events();
      Set<String> names = new TreeSet<>();
      SampledRecording.open(
              directory.resolve("events.jfr"),
              ReadingProgress.NONE,
              false,
              SampledFrame.Change.NONE,
              SampleChoice.WALL)
          .forEachSample(sample -> names.add(sample.thread().name()));
      assertEquals(Set.of(NAME), names);
      assertTrue(
          of(events, "SamplerStatus").stream()
              .anyMatch(status -> status.getLong("wallInterval") == 3 * MILLISECOND));
      assertEquals(List.of(), failures());
    } finally {
      end.countDown();
      wanted.join();
      other.join();
    }
  }
}
