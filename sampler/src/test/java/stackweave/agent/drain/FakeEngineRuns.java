package stackweave.agent.drain;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.attach.StatusBoard;
import stackweave.agent.decode.OwnPipeline;
import stackweave.agent.feature.Feature;
import stackweave.agent.message.Messages;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineRefusal;
import stackweave.engine.SignalTargets;
import stackweave.engine.choice.EngineChoice;
import stackweave.engine.perf.PerfBudget;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.read.Sample;
import stackweave.jfr.store.EventStore;
import stackweave.linux.FileRights;
import stackweave.testing.EventsByTime;

/** The drain thread and the way of a sample, behind an engine that does what the test says. */
abstract class FakeEngineRuns {
  /** Of no thread. */
  static final int TID = 1 << 23;

  /** In no module. */
  static final long NOWHERE = 0x1000;

  static final long MILLISECOND = 1_000_000;

  @TempDir Path directory;
  final List<String> said = new CopyOnWriteArrayList<>();
  final List<EngineConfig> asked = new CopyOnWriteArrayList<>();
  final Deque<EngineChoice> choices = new ArrayDeque<>();
  final List<String> order = new CopyOnWriteArrayList<>();
  final FakeHeap heap = new FakeHeap();

  /** Run when an engine has been started, before anything else. */
  volatile Runnable onStart = () -> {};

  Recording recording;
  Sampler sampler;

  @BeforeEach
  void begin() {
    Instrumentation nothing =
        (Instrumentation)
            Proxy.newProxyInstance(
                FakeEngineRuns.class.getClassLoader(),
                new Class<?>[] {Instrumentation.class},
                (proxy, method, arguments) -> null);
    sampler =
        new Sampler(
            new Machine(
                SampledProcess.OWN,
                FileRights.UNCHANGED,
                this::choose,
                heap,
                Machine.REAL.stores()),
            null,
            DrainThreadTest.options(",switch=" + directory.resolve("off")),
            this::features,
            new Messages(said::add),
            new StatusBoard(nothing));
    recording = new Recording();
    recording.start();
  }

  /** What is recorded beside the engine's samples. */
  List<Feature> features() {
    return List.of();
  }

  @AfterEach
  void end() {
    recording.close();
    assertTrue(sampler.close());
    EventStore.unregisterEvents();
  }

  /** On the drain thread, where the machine's engines would be started. */
  EngineChoice choose(EngineConfig config, SignalTargets targets, PerfBudget budget) {
    synchronized (choices) {
      asked.add(config);
      order.add("start");
      onStart.run();
      return choices.size() > 1 ? choices.remove() : choices.element();
    }
  }

  /** The next choice; the last one is for all later times. */
  void next(FakeEngine engine, EngineRefusal... refusals) {
    synchronized (choices) {
      choices.add(new EngineChoice(Optional.ofNullable(engine), List.of(refusals), false));
    }
  }

  static FakeEngine engine() {
    return new FakeEngine(EngineKind.TIMER, MILLISECOND);
  }

  static SamplingRequest request(long interval, String engine) {
    return new SamplingRequest(interval, engine, 64, false, List.of("test"), List.of());
  }

  void ask() throws InterruptedException {
    ask(MILLISECOND);
  }

  void ask(long interval) throws InterruptedException {
    sampler.onRequest(request(interval, "auto"));
    await(sampler::hasStarted);
  }

  static void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + 120_000_000_000L;
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "it does not come to that");
      Thread.sleep(5);
    }
  }

  /** Ends sampling and the recording. */
  List<RecordedEvent> events() throws IOException {
    return EventsByTime.of(ended());
  }

  /** Ends sampling and the recording; the samples, by the order of their time. */
  List<Sample> samples() throws Exception {
    return OwnPipeline.samples(ended());
  }

  private Path ended() throws IOException {
    sampler.onRequest(null);
    recording.stop();
    Path file = directory.resolve("events.jfr");
    recording.dump(file);
    return file;
  }

  static List<RecordedEvent> of(List<RecordedEvent> events, String type) {
    List<RecordedEvent> found = new ArrayList<>();
    for (RecordedEvent event : events) {
      if (event.getEventType().getName().equals("stackweave." + type)) {
        found.add(event);
      }
    }
    return found;
  }

  static long sum(List<RecordedEvent> events, String field) {
    return events.stream().mapToLong(event -> event.getLong(field)).sum();
  }

  List<String> failures() {
    return said.stream().filter(line -> line.contains("failure of the agent")).toList();
  }
}
