package stackweave.agent.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Test;
import stackweave.agent.decode.OwnPipeline;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineRefusal;
import stackweave.engine.EngineRefusal.Reason;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.read.Sample;
import stackweave.testing.EventsByTime;

/**
 * The drain thread and the way of a sample behind an engine that does what the test says: what it
 * delivers, and what becomes of it in the recording.
 */
class FakeEngineTest extends FakeEngineRuns {
  @Test
  void whatAnEngineDeliversIsInTheRecordingUpToItsLastDrain() throws Exception {
    FakeEngine engine = engine();
    next(engine);
    ask();
    engine.deliver(sink -> engine.sample(sink, TID, NOWHERE));
    await(() -> sampler.report().contains("samples: 1 taken, 1 written"));
    engine.note = "a note of the engine";
    engine.lost = 7;
    // What is still in its rings when it is stopped; of the next drain, or of the last.
    engine.deliver(sink -> engine.sample(sink, TID, NOWHERE));
    List<RecordedEvent> events = events();
    assertEquals(List.of("stop", "drain", "close"), engine.calls);
    List<RecordedEvent> samples = of(events, "StackSample");
    assertEquals(2, samples.size());
    for (RecordedEvent sample : samples) {
      assertEquals(FakeEngine.WEIGHT, sample.getLong("weight"));
    }
    for (Sample sample : OwnPipeline.samples(directory.resolve("events.jfr"))) {
      assertEquals(TID, sample.thread().osThreadId());
    }
    List<RecordedEvent> statuses = of(events, "SamplerStatus");
    assertTrue(statuses.stream().allMatch(e -> "timer".equals(e.getString("engine"))));
    assertTrue(statuses.stream().allMatch(e -> e.getLong("interval") == MILLISECOND));
    assertEquals(List.of(), failures());
  }

  @Test
  void lossesAndNotesOfTheEngineAreStated() throws Exception {
    FakeEngine engine = engine();
    next(engine);
    ask();
    engine.note = "a note of the engine";
    engine.lost = 7;
    engine.deliver(sink -> sink.lost(System.nanoTime(), 7));
    await(() -> sampler.report().contains("7 lost") && sampler.report().contains("a note"));
    awaitStatus(statuses -> anyHas(statuses, "note", "a note of the engine"));
    awaitStatus(statuses -> sum(statuses, "lost") == 7);
  }

  @Test
  void whyAnotherEngineRunsIsStated() throws Exception {
    FakeEngine engine = engine();
    next(engine, new EngineRefusal(EngineKind.PERF, Reason.NOT_PERMITTED, 13, "made up"));
    sampler.onRequest(request(MILLISECOND, "perf"));
    await(sampler::hasStarted);
    assertEquals(EngineKind.PERF, asked.get(0).preferred());
    await(() -> sampler.report().contains("engine: timer (perf: made up [EACCES])"));
    awaitStatus(statuses -> anyHas(statuses, "engineReason", "perf: made up [EACCES]"));
  }

  @Test
  void whereAllEnginesRefuseTheRecordingSaysWhy() throws Exception {
    next(null, new EngineRefusal(EngineKind.TIMER, Reason.UNSUPPORTED_KERNEL, 0, "made up"));
    ask();
    List<RecordedEvent> events = events();
    assertEquals(0, of(events, "StackSample").size());
    List<RecordedEvent> statuses = of(events, "SamplerStatus");
    assertTrue(anyHas(statuses, "note", "not sampling: timer: made up"), statuses.toString());
    assertEquals(1, said.stream().filter(line -> line.contains("timer: made up")).count());
    assertEquals(1, asked.size(), "what can't pass is not tried again at once");
  }

  /** It is closed and said, once; who asks next gets another engine. */
  @Test
  void anEngineThatFailsWhileItIsDrainedEndsSampling() throws Exception {
    FakeEngine failing = engine();
    FakeEngine second = engine();
    next(failing);
    next(second);
    ask();
    failing.deliver(
        sink -> {
          throw new IllegalStateException("broken by the test");
        });
    await(() -> failures().size() > 0);
    await(failing::isClosed);
    assertTrue(failures().get(0).contains("broken by the test"), said.toString());
    awaitStatus(statuses -> anyHas(statuses, "note", "broken by the test"));
    await(
        () -> {
          sampler.onRequest(request(MILLISECOND, "auto"));
          return asked.size() == 2;
        });
    await(sampler::hasStarted);
    second.deliver(sink -> second.sample(sink, TID, NOWHERE));
    List<RecordedEvent> events = events();
    assertEquals(1, of(events, "StackSample").size());
    assertEquals(1, failures().size(), said.toString());
  }

  /** A sample that can't be decoded costs itself only. */
  @Test
  void aSampleThatCantBeDecodedIsCounted() throws Exception {
    FakeEngine engine = engine();
    next(engine);
    ask();
    engine.deliver(sink -> sink.sample(null));
    engine.deliver(sink -> engine.sample(sink, TID, NOWHERE));
    await(() -> sampler.report().contains("2 taken, 1 written, 1 undecodable"));
    assertTrue(sampler.report().contains("last failure: java.lang.NullPointerException"));
    assertFalse(engine.isClosed());
  }

  /** One that ends by itself, or is outgrown: the next takes over, and all its counts go on. */
  @Test
  void whereAnEngineEndsTheNextTakesOver() throws Exception {
    FakeEngine first = engine();
    FakeEngine second = new FakeEngine(EngineKind.PERF_USER, MILLISECOND);
    next(first);
    next(second);
    ask();
    first.lost = 3;
    first.deliver(sink -> first.sample(sink, TID, NOWHERE));
    await(() -> sampler.report().contains("samples: 1 taken"));
    first.ended = true;
    first.wake();
    await(() -> asked.size() == 2);
    assertEquals(List.of("stop", "drain", "close"), first.calls);
    second.lost = 4;
    second.deliver(sink -> second.sample(sink, TID, NOWHERE));
    await(() -> sampler.report().contains("samples: 2 taken, 2 written, 7 lost"));
    assertTrue(sampler.report().contains("engine: perf-user"), sampler.report());
    List<RecordedEvent> events = events();
    assertEquals(2, of(events, "StackSample").size());
    // Its thread may be another one, with the same id.
    assertEquals(
        2, of(events, "StackSample").stream().map(e -> e.getLong("threadId")).distinct().count());
  }

  /** The interval of a running engine is fixed: the one has to be closed before the other. */
  @Test
  void anotherIntervalIsAnotherEngine() throws Exception {
    FakeEngine first =
        new FakeEngine(EngineKind.TIMER, MILLISECOND) {
          @Override
          public void close() {
            super.close();
            order.add("close");
          }
        };
    FakeEngine second = new FakeEngine(EngineKind.TIMER, 10 * MILLISECOND);
    next(first);
    next(second);
    ask();
    first.deliver(sink -> first.sample(sink, TID, NOWHERE));
    sampler.onRequest(request(10 * MILLISECOND, "timer"));
    await(sampler::hasStarted);
    second.deliver(sink -> second.sample(sink, TID, NOWHERE));
    // The same again is served by what runs.
    sampler.onRequest(request(10 * MILLISECOND, "timer"));
    List<RecordedEvent> events = events();
    assertEquals(List.of("start", "close", "start"), order);
    assertEquals(List.of(MILLISECOND, 10 * MILLISECOND), intervals());
    assertEquals(EngineKind.TIMER, asked.get(1).preferred());
    assertEquals(2, of(events, "StackSample").size());
    List<RecordedEvent> statuses = of(events, "SamplerStatus");
    assertTrue(statuses.stream().anyMatch(e -> e.getLong("interval") == MILLISECOND));
    assertTrue(statuses.stream().anyMatch(e -> e.getLong("interval") == 10 * MILLISECOND));
  }

  /** Names, starts and ends of threads, as the kernel tells them. */
  @Test
  void threadsAreCalledAsTheEngineTells() throws Exception {
    FakeEngine engine = engine();
    next(engine);
    ask();
    engine.deliver(
        sink -> {
          engine.sample(sink, TID, NOWHERE);
          sink.renamed(System.nanoTime(), TID, "first");
          engine.sample(sink, TID, NOWHERE);
          sink.exited(System.nanoTime(), TID);
          engine.sample(sink, TID, NOWHERE); // another thread, of which nothing is known
          sink.renamed(System.nanoTime(), TID, "second");
          engine.sample(sink, TID, NOWHERE);
          sink.started(System.nanoTime(), TID, 1); // the end of that one was not told
          engine.sample(sink, TID, NOWHERE);
          sink.renamed(System.nanoTime(), TID + 1, "not sampled");
          sink.renamed(System.nanoTime(), TID + 2, "java");
          sink.renamed(System.nanoTime(), TID + 2, "short-lived");
          engine.sample(sink, TID + 2, NOWHERE); // it has ended when that is decoded
        });
    List<String> names = samples().stream().map(sample -> sample.thread().name()).toList();
    String unknown = "thread " + TID;
    assertEquals(List.of(unknown, "first", unknown, "second", unknown, "short-lived"), names);
  }

  /** The file is there: the engine goes, and comes back when the file is gone. */
  @Test
  void theSwitchFileEndsTheEngine() throws Exception {
    FakeEngine first = engine();
    FakeEngine second = engine();
    next(first);
    next(second);
    ask();
    Path off = Files.createFile(directory.resolve("off"));
    await(first::isClosed);
    assertEquals(1, asked.size());
    await(() -> sampler.report().contains("switched off by"));
    assertTrue(sampler.report().startsWith("state: switched off, asked for"), sampler.report());
    Files.delete(off);
    await(() -> asked.size() == 2);
    second.deliver(sink -> second.sample(sink, TID, NOWHERE));
    assertEquals(1, of(events(), "StackSample").size());
  }

  /** Has the drain thread state how it goes, which it may be too late for, until it is so. */
  private void awaitStatus(Predicate<List<RecordedEvent>> condition) throws Exception {
    Path file = directory.resolve("status.jfr");
    boolean met = false;
    for (int i = 0; i < 2_000 && !met; i++) {
      recording.dump(file);
      met = condition.test(of(EventsByTime.of(file), "SamplerStatus"));
      Thread.sleep(met ? 0 : 20);
    }
    assertTrue(met, "it is never stated");
  }

  private static boolean anyHas(List<RecordedEvent> events, String field, String text) {
    return events.stream().anyMatch(e -> String.valueOf(e.getString(field)).contains(text));
  }

  private List<Long> intervals() {
    return asked.stream().map(EngineConfig::intervalNanos).toList();
  }
}
