package stackweave.agent.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.drain.limit.HeapRoom;
import stackweave.agent.drain.limit.Room;
import stackweave.agent.drain.status.SamplerTotals;
import stackweave.agent.message.Messages;
import stackweave.agent.option.InvalidOptionException;
import stackweave.agent.option.Options;
import stackweave.engine.choice.EngineChoice;
import stackweave.engine.choice.EngineSource;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MissedCpu;
import stackweave.jfr.store.StartWatch;
import stackweave.linux.FileRights;
import stackweave.testing.EventsByTime;

class DrainThreadTest {
  /** Options of the agent, with which the tests of this package sample their own process. */
  static Options options(String more) {
    try {
      return Options.parse("hooks=off,jit=all,drain=100" + more);
    } catch (InvalidOptionException e) {
      throw new IllegalArgumentException(e);
    }
  }

  @TempDir private Path directory;

  /** Where even the store fails to open, the recording says so all the same. */
  @Test
  void aStoreThatCantBeOpenedIsSaidInTheRecording() throws Exception {
    Path file = directory.resolve("failed.jfr");
    try (Recording recording = new Recording();
        StartWatch start = StartWatch.begin(System.nanoTime(), new MissedCpu(), List.of())) {
      recording.start();
      start.prepare();
      DrainThread drain =
          drain(
              10_000_000,
              start,
              () -> {
                throw new IllegalStateException("no store");
              },
              EngineSource.OF_MACHINE);
      drain.start();
      awaitStart(drain);
      assertTrue(drain.stop(120_000));
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> statuses = EventsByTime.statuses(file);
    assertEquals(1, statuses.size());
    String note = statuses.get(0).getString("note");
    assertTrue(note.contains("failure of the agent") && note.contains("no store"), note);
  }

  /** The store takes a while to open, so samples are taken before; the engine ends with it. */
  @Test
  void anEngineRunsBeforeTheStoreIsOpened() throws Exception {
    FakeEngine engine = new FakeEngine(EngineKind.TIMER, 10_000_000);
    assertEquals(List.of("engine", "store"), order(engine));
    assertTrue(engine.isClosed());
  }

  /** The rings would be full before the first sample is decoded. */
  @Test
  void atShortIntervalsTheStoreIsOpenedBefore() throws Exception {
    assertEquals(List.of("store"), order(new FakeEngine(EngineKind.TIMER, 1_000_000)));
  }

  /** What a drain thread begins with, whose store fails to open. */
  private static List<String> order(FakeEngine engine) throws Exception {
    List<String> order = new CopyOnWriteArrayList<>();
    try (StartWatch start = StartWatch.begin(System.nanoTime(), new MissedCpu(), List.of())) {
      DrainThread drain =
          drain(
              engine.interval,
              start,
              () -> {
                order.add("store");
                throw new IllegalStateException("no store");
              },
              (config, javaStacks, budget) -> {
                order.add("engine");
                return new EngineChoice(Optional.of(engine), List.of(), false);
              });
      drain.start();
      awaitStart(drain);
      assertTrue(drain.stop(120_000));
    }
    return order;
  }

  private static void awaitStart(DrainThread drain) throws InterruptedException {
    for (int i = 0; !drain.hasStarted(); i++) {
      assertTrue(i < 120_000);
      Thread.sleep(1);
    }
  }

  private static DrainThread drain(
      long interval, StartWatch start, Supplier<EventStore> stores, EngineSource engines) {
    Messages messages = new Messages(line -> {});
    SwitchFile switchFile = new SwitchFile(FileRights.UNCHANGED, "", messages);
    return new DrainThread(
        new DrainParts(
            new SamplingRequest(interval, "timer", 64, false, List.of(), List.of()),
            options(""),
            new Machine(
                SampledProcess.OWN,
                FileRights.UNCHANGED,
                engines,
                HeapRoom.Heap.OF_JVM,
                Machine.REAL.stores()),
            Room.later(null, HeapRoom.Heap.OF_JVM),
            switchFile,
            new CountDownLatch(1)),
        new AgentTools(null, messages, List.of(), options("")),
        new Status(SampledProcess.OWN, new SamplerTotals(), start, stores, () -> {}, messages));
  }
}
