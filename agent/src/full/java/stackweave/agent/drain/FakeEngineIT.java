package stackweave.agent.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import stackweave.jfr.control.EngineKind;

/** Waits of the drain thread, behind an engine that does what the test says. */
class FakeEngineIT extends FakeEngineRuns {
  /** With it, an engine is started before there is what decodes its samples. */
  private static final long EARLY = 10 * MILLISECOND;

  /** Where its rings stay full, one of so many samples is decoded, and stands for all of them. */
  @Test
  void whereTheRingsStayFullSamplesAreThinnedOut() throws Exception {
    FakeEngine engine = engine();
    next(engine);
    ask();
    engine.backlog = 1;
    int perDrain = 2_000;
    long end = System.nanoTime() + 120_000_000_000L;
    while (!sampler.report().contains("keeps one sample in") && System.nanoTime() < end) {
      // Always some, however late a loaded machine wakes this thread: it must be decoding that
      // takes the drain thread's time.
      while (engine.waiting() < 20) {
        engine.deliver(
            sink -> {
              for (int i = 0; i < perDrain; i++) {
                engine.sample(sink, TID, NOWHERE);
              }
            });
      }
      Thread.sleep(1);
    }
    assertTrue(sampler.report().contains("drain thread gets too little CPU time"));
    engine.backlog = 0;
    List<RecordedEvent> events = events();
    long taken = reported("taken");
    long thinned = reported("thinned");
    assertTrue(thinned > 0 && taken > perDrain, sampler.report());
    assertEquals(taken, thinned + reported("written") + reported("dropped"));
    assertEquals(reported("written"), of(events, "StackSample").size());
    long weight = sum(of(events, "StackSample"), "weight");
    long exact = taken * FakeEngine.WEIGHT;
    // Two groups may be unfinished; and what JFR did not take stands for up to a group each.
    double slack = (2 + reported("dropped")) * 1024.0 * FakeEngine.WEIGHT;
    assertEquals(exact, weight, slack);
  }

  /** Samples that are not hurt by it are decoded many at a time, and a dump has all of them. */
  @Test
  void samplesWaitForOthersButNotForADump() throws Exception {
    FakeEngine engine = new FakeEngine(EngineKind.TIMER, EARLY);
    next(engine);
    ask(EARLY);
    int left = leaveUntil(engine, () -> engine.wentOn.get() > 5);
    left += leaveUntil(engine, () -> engine.waiting() > 10);
    Path file = directory.resolve("dump.jfr");
    recording.dump(file);
    List<RecordedEvent> events = RecordingFile.readAllEvents(file);
    assertEquals(left, of(events, "StackSample").size());
    assertEquals(List.of(), failures());
  }

  /** What lives for a moment has no name later. */
  @Test
  void samplesDoNotWaitWhileThreadsStart() throws Exception {
    FakeEngine engine = new FakeEngine(EngineKind.TIMER, EARLY);
    next(engine);
    ask(EARLY);
    leaveUntil(engine, () -> engine.wentOn.get() > 5);
    int before = engine.wentOn.get();
    long end = System.nanoTime() + 2_000 * MILLISECOND;
    leaveUntil(
        engine,
        () -> {
          new Thread(() -> {}).start();
          return System.nanoTime() > end;
        });
    assertTrue(engine.wentOn.get() <= before + 1, before + " to " + engine.wentOn);
  }

  @Test
  void samplesDoNotWaitWhereTheEngineSaysSo() throws Exception {
    FakeEngine engine = new FakeEngine(EngineKind.TIMER, EARLY);
    engine.maySamplesWait = false;
    next(engine);
    ask(EARLY);
    // Longer than threads that have started keep samples of other engines from waiting.
    long end = System.nanoTime() + 4_000 * MILLISECOND;
    leaveUntil(engine, () -> System.nanoTime() > end);
    assertEquals(0, engine.wentOn.get());
  }

  /** What collections leave is judged once a second; what was taken by then is written. */
  @Test
  void whereCollectionsLeaveTooLittleSamplingEnds() throws Exception {
    FakeEngine engine = engine();
    next(engine);
    ask();
    engine.deliver(sink -> engine.sample(sink, TID, NOWHERE));
    heap.isFull();
    await(engine::isClosed);
    await(() -> sampler.report().contains("not sampling: the heap of 1024 MiB has 2 MiB left"));
    assertEquals(List.of("stop", "drain", "close"), engine.calls);
    heap.hasRoom();
    Thread.sleep(500); // ten looks
    assertEquals(1, asked.size(), "it pauses");
    List<RecordedEvent> events = events();
    assertEquals(1, of(events, "StackSample").size());
    assertEquals(List.of(), failures());
  }

  /** The switch holds, and is said, whatever else sampling waits for. */
  @Test
  void theSwitchFileIsSeenWhileTheHeapHasNoRoom() throws Exception {
    FakeEngine engine = engine();
    next(engine);
    heap.isFull();
    ask();
    await(() -> sampler.report().contains("not sampling: the heap of 1024 MiB"));
    Path off = Files.createFile(directory.resolve("off"));
    await(() -> sampler.report().contains("switched off by"));
    heap.hasRoom();
    Thread.sleep(500); // ten looks at the heap
    assertEquals(0, asked.size(), "it is switched off");
    Files.delete(off);
    await(() -> asked.size() == 1);
    engine.deliver(sink -> engine.sample(sink, TID, NOWHERE));
    assertEquals(1, of(events(), "StackSample").size());
  }

  /** A number of the report's line of samples; 0 where it is not there. */
  private long reported(String what) {
    Matcher matcher = Pattern.compile("(\\d+) " + what).matcher(sampler.report());
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
  }

  /** Leaves samples in the rings now and then, until what is awaited has come. */
  private static int leaveUntil(FakeEngine engine, BooleanSupplier condition)
      throws InterruptedException {
    int left = 0;
    long end = System.nanoTime() + 60_000_000_000L;
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "it does not come to that");
      engine.leave(sink -> engine.sample(sink, TID, NOWHERE));
      left++;
      Thread.sleep(5);
    }
    return left;
  }
}
