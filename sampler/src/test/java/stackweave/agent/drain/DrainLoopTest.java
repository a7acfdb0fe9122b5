package stackweave.agent.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.decode.OwnPipeline;
import stackweave.agent.drain.limit.Room;
import stackweave.agent.drain.limit.Throttle;
import stackweave.agent.drain.status.SamplerTotals;
import stackweave.agent.feature.Feature;
import stackweave.agent.feature.FeatureContext;
import stackweave.agent.feature.FeatureSession;
import stackweave.agent.feature.Features;
import stackweave.agent.message.Messages;
import stackweave.engine.perf.PerfBudget;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.status.Counter;
import stackweave.jfr.store.MissedCpu;
import stackweave.jfr.store.StartWatch;
import stackweave.linux.FileRights;

/** One engine's loop, on this thread: what ends it, and what is drained by then. */
class DrainLoopTest {
  private static final long MILLISECOND = 1_000_000;

  @TempDir private Path directory;
  private final FakeEngine engine = new FakeEngine(EngineKind.TIMER, MILLISECOND);
  private final FakeHeap heap = new FakeHeap();
  private final StopSignal stop = new StopSignal();
  private final List<String> done = new ArrayList<>();
  private final Messages messages = new Messages(line -> {});
  private final StartWatch start = StartWatch.begin(System.nanoTime(), new MissedCpu(), List.of());
  private final PerfBudget budget = new PerfBudget(0);
  private final OwnPipeline own = new OwnPipeline();
  private final Features features = new Features(List.of(new Recorded()));

  /** Notes what it is told to do. */
  private final class Recorded implements Feature {
    @Override
    public String failure() {
      return "nothing is recorded";
    }

    @Override
    public FeatureSession open(FeatureContext context) {
      return new FeatureSession() {
        @Override
        public void pass() {
          done.add("pass");
          if (done.size() == 3) {
            throw new IllegalStateException("broken by the test");
          }
        }

        @Override
        public void close() {
          done.add("close");
        }
      };
    }
  }

  @BeforeEach
  void begin() {
    features.open(own.context());
    engine.deliver(sink -> engine.sample(sink, OwnPipeline.TID, OwnPipeline.NOWHERE));
  }

  @AfterEach
  void end() {
    start.close();
    budget.close();
    own.close();
  }

  @Test
  void whatIsInTheRingsIsDrainedAfterTheStop() {
    stop.set();
    assertEquals(End.STOPPED, run());
    assertEquals(List.of("stop", "drain"), engine.calls);
    assertEquals(1, own.count(Counter.WRITTEN));
  }

  @Test
  void theSwitchFileStopsIt() throws Exception {
    Files.createFile(directory.resolve("off"));
    assertEquals(End.STOPPED, run());
  }

  @Test
  void anEngineThatHasEndedIsReplaced() {
    engine.ended = true;
    assertEquals(End.REPLACED, run());
    assertEquals(1, own.count(Counter.WRITTEN));
  }

  @Test
  void whereCollectionsLeaveTooLittleItEnds() {
    heap.isFull();
    assertEquals(End.NO_ROOM, run());
  }

  /** The others and the samples go on. */
  @Test
  void aFeatureThatFailsIsClosedAndSaid() {
    heap.isFull(); // it ends after a second, in which there are several turns
    run();
    assertEquals(List.of("pass", "pass", "pass", "close"), done);
    assertEquals(
        "nothing is recorded: this failed in the agent"
            + " (java.lang.IllegalStateException: broken by the test)",
        features.note());
  }

  private End run() {
    Status status =
        new Status(
            SampledProcess.OWN, new SamplerTotals(), start, () -> own.store, () -> {}, messages);
    status.openStore(stop::wake);
    status.begin(engine);
    Throttle throttle = new Throttle(100, () -> 0, () -> 0, () -> 0, new SplittableRandom(1));
    own.pipeline.follow(engine.description(), throttle);
    DrainParts parts =
        new DrainParts(
            new SamplingRequest(MILLISECOND, "timer", 64, false, List.of(), List.of()),
            DrainThreadTest.options(""),
            Machine.REAL,
            Room.later(null, heap),
            new SwitchFile(FileRights.UNCHANGED, directory.resolve("off").toString(), messages),
            new CountDownLatch(1));
    DrainLoop.Run run =
        new DrainLoop.Run(engine, own.decoder().process(), own.pipeline, features, throttle, false);
    return new DrainLoop(run, parts, status, stop, budget).run();
  }
}
