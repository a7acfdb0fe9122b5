package stackweave.agent.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.attach.StatusBoard;
import stackweave.agent.engine.EngineConfig;
import stackweave.agent.engine.EngineRefusal;
import stackweave.agent.engine.EngineRefusal.Reason;
import stackweave.agent.engine.SignalTargets;
import stackweave.agent.engine.choice.EngineChoice;
import stackweave.agent.engine.perf.PerfBudget;
import stackweave.agent.linux.MemoryAccess;
import stackweave.agent.message.Messages;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.event.Session;
import stackweave.jfr.store.EventStore;

/**
 * The drain thread and the way of a sample behind an engine that does what the test says: what it
 * delivers, and what becomes of it in the recording.
 */
class FakeEngineTest {
  /** Of no thread. */
  private static final int TID = 1 << 23;

  /** In no module. */
  private static final long NOWHERE = 0x1000;

  private static final long MILLISECOND = 1_000_000;

  /** With it, an engine is started before there is what decodes its samples. */
  private static final long EARLY = 10 * MILLISECOND;

  @TempDir private Path directory;
  private final List<String> said = new CopyOnWriteArrayList<>();
  private final List<EngineConfig> asked = new CopyOnWriteArrayList<>();
  private final Deque<EngineChoice> choices = new ArrayDeque<>();
  private final List<String> order = new CopyOnWriteArrayList<>();
  private final FakeHeap heap = new FakeHeap();

  /** Run when an engine has been started, before anything else. */
  private volatile Runnable onStart = () -> {};

  private Recording recording;
  private Sampler sampler;

  @BeforeEach
  void begin() {
    Instrumentation nothing =
        (Instrumentation)
            Proxy.newProxyInstance(
                FakeEngineTest.class.getClassLoader(),
                new Class<?>[] {Instrumentation.class},
                (proxy, method, arguments) -> null);
    sampler =
        new Sampler(
            this::choose,
            heap,
            null,
            new SamplerSettings(
                false,
                "",
                directory.resolve("off").toString(),
                MemoryAccess.AUTO,
                false,
                100,
                0,
                Session.FIRST_SCHEMA_VERSION,
                false,
                ""),
            new Messages(said::add),
            new StatusBoard(nothing));
    recording = new Recording();
    recording.start();
  }

  @AfterEach
  void end() {
    recording.close();
    assertTrue(sampler.close());
    EventStore.unregisterEvents();
  }

  /** On the drain thread, where the machine's engines would be started. */
  private EngineChoice choose(EngineConfig config, SignalTargets targets, PerfBudget budget) {
    synchronized (choices) {
      asked.add(config);
      order.add("start");
      onStart.run();
      return choices.size() > 1 ? choices.remove() : choices.element();
    }
  }

  /** The next choice; the last one is for all later times. */
  private void next(FakeEngine engine, EngineRefusal... refusals) {
    synchronized (choices) {
      choices.add(new EngineChoice(Optional.ofNullable(engine), List.of(refusals), false));
    }
  }

  private static FakeEngine engine() {
    return new FakeEngine(EngineKind.TIMER, MILLISECOND);
  }

  private static SamplingRequest request(long interval, String engine) {
    return new SamplingRequest(interval, engine, 64, false, List.of("test"), List.of());
  }

  private void ask() throws InterruptedException {
    ask(MILLISECOND);
  }

  private void ask(long interval) throws InterruptedException {
    sampler.onRequest(request(interval, "auto"));
    await(sampler::hasStarted);
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + 120_000_000_000L;
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "it does not come to that");
      Thread.sleep(5);
    }
  }

  /** Ends sampling and the recording. */
  private List<RecordedEvent> events() throws IOException {
    sampler.onRequest(null);
    recording.stop();
    Path file = directory.resolve("events.jfr");
    recording.dump(file);
    return RecordingFile.readAllEvents(file);
  }

  private static List<RecordedEvent> of(List<RecordedEvent> events, String type) {
    List<RecordedEvent> found = new ArrayList<>();
    for (RecordedEvent event : events) {
      if (event.getEventType().getName().equals("stackweave." + type)) {
        found.add(event);
      }
    }
    return found;
  }

  private static long sum(List<RecordedEvent> events, String field) {
    return events.stream().mapToLong(event -> event.getLong(field)).sum();
  }

  private List<String> failures() {
    return said.stream().filter(line -> line.contains("failure of the agent")).toList();
  }

  /** Has the drain thread state how it goes, which it may be too late for, until it is so. */
  private void awaitStatus(Predicate<List<RecordedEvent>> condition) throws Exception {
    Path file = directory.resolve("status.jfr");
    boolean met = false;
    for (int i = 0; i < 2_000 && !met; i++) {
      recording.dump(file);
      met = condition.test(of(RecordingFile.readAllEvents(file), "SamplerStatus"));
      Thread.sleep(met ? 0 : 20);
    }
    assertTrue(met, "it is never stated");
  }

  private static boolean anyHas(List<RecordedEvent> events, String field, String text) {
    return events.stream().anyMatch(e -> String.valueOf(e.getString(field)).contains(text));
  }

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
    List<RecordedEvent> samples = of(events, "NativeSample");
    assertEquals(2, samples.size());
    for (RecordedEvent sample : samples) {
      assertEquals(FakeEngine.WEIGHT, sample.getLong("weight"));
    }
    assertEquals(1, of(events, "Thread").size());
    assertEquals(TID, of(events, "Thread").get(0).getLong("osThreadId"));
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
    assertEquals(0, of(events, "NativeSample").size());
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
    assertEquals(1, of(events, "NativeSample").size());
    assertEquals(1, failures().size(), said.toString());
  }

  /** It lives on where the JVM frees what decodes its samples: it must not hold that. */
  @Test
  void anEngineDoesNotHoldWhatDecodedItsSamples() throws Exception {
    FakeEngine engine = engine();
    next(engine);
    ask();
    AtomicBoolean holds = new AtomicBoolean(true);
    engine.deliver(
        sink -> {
          engine.sample(sink, TID, NOWHERE);
          holds.set(engine.holdsReaders());
        });
    await(() -> sampler.report().contains("samples: 1 taken, 1 written"));
    await(() -> !holds.get());
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
    assertEquals(2, of(events, "NativeSample").size());
    // Its thread may be another one, with the same id.
    assertEquals(2, of(events, "Thread").size());
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
    assertEquals(2, of(events, "NativeSample").size());
    List<RecordedEvent> statuses = of(events, "SamplerStatus");
    assertTrue(statuses.stream().anyMatch(e -> e.getLong("interval") == MILLISECOND));
    assertTrue(statuses.stream().anyMatch(e -> e.getLong("interval") == 10 * MILLISECOND));
  }

  private List<Long> intervals() {
    return asked.stream().map(EngineConfig::intervalNanos).toList();
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
    List<RecordedEvent> events = events();
    List<String> names = new ArrayList<>();
    for (RecordedEvent sample : of(events, "NativeSample")) {
      names.add(
          of(events, "Thread").stream()
              .filter(thread -> thread.getLong("threadId") == sample.getLong("threadId"))
              .findFirst()
              .orElseThrow()
              .getString("name"));
    }
    String unknown = "thread " + TID;
    assertEquals(List.of(unknown, "first", unknown, "second", unknown, "short-lived"), names);
    assertTrue(
        of(events, "Thread").stream()
            .noneMatch(thread -> thread.getString("name").equals("not sampled")));
  }

  /** A library is known from the moment that the kernel tells of it. */
  @Test
  void aMappingThatTheEngineTellsOfIsTheModuleOfLaterSamples() throws Exception {
    FakeEngine engine = engine();
    next(engine);
    ask();
    Path library = directory.resolve("libmapped.so");
    Files.copy(Path.of(System.getProperty("java.home"), "lib", "libnet.so"), library);
    long address = 0x10000000L;
    engine.deliver(
        sink -> {
          engine.sample(sink, TID, address + 0x100);
          sink.mapped(System.nanoTime(), 1, TID, address, 0x10000, 0, null, library.toString());
          engine.sample(sink, TID, address + 0x100);
        });
    List<RecordedEvent> events = events();
    List<RecordedEvent> samples = of(events, "NativeSample");
    assertEquals(2, samples.size());
    assertNotEquals(samples.get(0).getInt("end"), samples.get(1).getInt("end"));
    List<RecordedEvent> libraries = of(events, "NativeLibrary");
    assertEquals(1, libraries.size(), libraries.toString());
    assertEquals(library.toString(), libraries.get(0).getString("path"));
  }

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
    assertEquals(reported("written"), of(events, "NativeSample").size());
    long weight = sum(of(events, "NativeSample"), "weight");
    long exact = taken * FakeEngine.WEIGHT;
    // Two groups may be unfinished; and what JFR did not take stands for up to a group each.
    double slack = (2 + reported("dropped")) * 1024.0 * FakeEngine.WEIGHT;
    assertEquals(exact, weight, slack);
  }

  /** A number of the report's line of samples; 0 where it is not there. */
  private long reported(String what) {
    Matcher matcher = Pattern.compile("(\\d+) " + what).matcher(sampler.report());
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
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
    assertEquals(1, of(events(), "NativeSample").size());
  }

  /** Samples stay in the rings while little of the heap is free; the engine goes on meanwhile. */
  @Test
  void inARestSamplesWaitAndTheEngineGoesOn() throws Exception {
    FakeEngine engine = engine();
    next(engine);
    ask();
    engine.deliver(sink -> engine.sample(sink, TID, NOWHERE));
    await(() -> sampler.report().contains("1 written"));
    assertEquals(0, engine.wentOn.get());
    heap.hasLittleFree();
    await(() -> engine.wentOn.get() > 10);
    heap.hasRoom();
    int rest = engine.wentOn.get();
    engine.deliver(sink -> engine.sample(sink, TID, NOWHERE));
    await(() -> sampler.report().contains("2 taken, 2 written"));
    assertTrue(engine.wentOn.get() <= rest + 1, "it rests where there is room");
    assertFalse(engine.isClosed());
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
    assertEquals(left, of(events, "NativeSample").size());
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

  /** A library that can bear no signal must be met soon. */
  @Test
  void samplesOfAnEngineThatSendsSignalsDoNotWait() throws Exception {
    FakeEngine engine = new FakeEngine(EngineKind.TIMER, EARLY);
    engine.sendsSignals = true;
    next(engine);
    ask(EARLY);
    // Longer than threads that have started keep samples of other engines from waiting.
    long end = System.nanoTime() + 4_000 * MILLISECOND;
    leaveUntil(engine, () -> System.nanoTime() > end);
    assertEquals(0, engine.wentOn.get());
  }

  /** A rest is no reason to miss that an engine is of no use any more. */
  @Test
  void anEngineThatEndsInARestIsFollowedByTheNext() throws Exception {
    FakeEngine first = engine();
    FakeEngine second = engine();
    next(first);
    next(second);
    ask();
    first.deliver(sink -> first.sample(sink, TID, NOWHERE));
    await(() -> sampler.report().contains("1 written"));
    heap.hasLittleFree();
    await(() -> first.wentOn.get() > 0);
    first.ended = true;
    await(() -> asked.size() == 2);
    heap.hasRoom();
    second.deliver(sink -> second.sample(sink, TID, NOWHERE));
    assertEquals(2, of(events(), "NativeSample").size());
  }

  /** Samples are taken, but the first table is not loaded before the heap had room, or a rest. */
  @Test
  void whileSamplingBeginsTheHeapIsLeftAlone() throws Exception {
    FakeEngine engine = new FakeEngine(EngineKind.TIMER, EARLY);
    next(engine);
    AtomicBoolean opened = new AtomicBoolean();
    AtomicInteger before = new AtomicInteger();
    onStart = heap::hasLittleFree;
    sampler.afterHooks(
        () -> {
          opened.set(true);
          before.set(engine.wentOn.get());
        });
    engine.deliver(sink -> engine.sample(sink, TID, NOWHERE));
    ask(EARLY);
    await(() -> engine.wentOn.get() > 10);
    await(opened::get);
    assertTrue(before.get() > 10, () -> before + " looks before the store was opened");
    // It rests once more before the first sample is decoded: the heap still has little.
    await(() -> engine.wentOn.get() > before.get());
    heap.hasRoom();
    await(() -> sampler.report().contains("1 taken, 1 written"));
  }

  /** What was loaded by then is freed, and the samples that wait are counted. */
  @Test
  void whereTheHeapFillsWhileSamplingBeginsItEnds() throws Exception {
    FakeEngine engine = new FakeEngine(EngineKind.TIMER, EARLY);
    next(engine);
    sampler.afterHooks(heap::isFull);
    engine.deliver(sink -> engine.sample(sink, TID, NOWHERE));
    ask(EARLY);
    await(
        () -> {
          System.gc(); // what is in use after collections is what counts
          return engine.isClosed();
        });
    await(() -> sampler.report().contains("not sampling: the heap of 1024 MiB"));
    assertEquals(1, asked.size());
    heap.hasRoom();
    List<RecordedEvent> events = events();
    assertEquals(0, of(events, "NativeSample").size());
    assertEquals(1, sum(of(events, "SamplerStatus"), "dropped"));
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
    assertEquals(1, of(events(), "NativeSample").size());
  }
}
