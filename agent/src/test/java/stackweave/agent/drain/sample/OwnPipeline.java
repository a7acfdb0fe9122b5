package stackweave.agent.drain.sample;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.agent.drain.context.SampledContexts;
import stackweave.agent.drain.limit.Throttle;
import stackweave.agent.drain.name.JitNames;
import stackweave.agent.drain.name.KernelNames;
import stackweave.agent.drain.name.StackNames;
import stackweave.agent.drain.thread.ThreadNames;
import stackweave.agent.drain.wall.WallParts;
import stackweave.agent.engine.EngineDescription;
import stackweave.agent.engine.EngineSink;
import stackweave.agent.engine.EngineState;
import stackweave.agent.engine.EngineStatistics;
import stackweave.agent.engine.SampleEngine;
import stackweave.agent.linux.SelfMemory;
import stackweave.agent.linux.SystemCalls;
import stackweave.hotspot.MixedUnwinder;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.NativeAllocation;
import stackweave.jfr.event.NativeMemory;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.Sample;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;
import stackweave.maps.modules.ModuleIndex;
import stackweave.tableless.CodeUnwinder;
import stackweave.testing.EventsByTime;
import stackweave.unwind.Architecture;
import stackweave.unwind.TableMemory;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.walk.NativeUnwinder;

/**
 * The way from a sample to its event for a test that is the drain thread: all is done on the
 * calling thread. Threads have the kernel's names, and Java frames none.
 */
public final class OwnPipeline implements AutoCloseable {
  /** Of no thread. */
  public static final int TID = 1 << 23;

  /** In no module. */
  public static final long NOWHERE = 0x1000;

  public final Architecture architecture = SystemCalls.current().orElseThrow().architecture();
  public final SampleCounts counts = new SampleCounts();
  public final Counters counters = counts.counters;
  public final EventStore store;
  public final HotSpotMethods methods = new HotSpotMethods();
  public final StackNames names;
  public final ModuleIndex modules;
  public final SamplePipeline pipeline;
  private final SelfMemory memory = new SelfMemory();
  private final Recording recording = new Recording();
  private final MixedUnwinder unwinder;

  private final ThreadNames threads;

  /** Begins to record. */
  public OwnPipeline() {
    SessionInfo session =
        new SessionInfo("test", "test", "0=native", "0=complete", "0", ThreadState.legend());
    store = EventStore.open(session, StoreLimits.DEFAULT);
    for (String event :
        List.of(WallSample.NAME, Blocked.NAME, NativeMemory.NAME, NativeAllocation.NAME)) {
      recording.enable(event);
    }
    recording.start();
    RuleTable rules = new RuleTable(architecture);
    modules = new ModuleIndex(memory, rules);
    unwinder = new MixedUnwinder(new NativeUnwinder(rules), CodeUnwinder::new, null, methods);
    names =
        new StackNames(
            store,
            methods,
            new KernelNames(TableMemory.HEAP),
            new JitNames(modules, memory),
            memory);
    threads = new ThreadNames(store, null, () -> null);
    pipeline =
        new SamplePipeline(
            store,
            modules,
            memory,
            unwinder,
            names,
            threads,
            SampledContexts.none(store, counters),
            null,
            null,
            64,
            counts);
    pipeline.follow(
        Silent.DESCRIPTION, new Throttle(100, () -> 0, () -> 0, () -> 0, new SplittableRandom(1)));
    pipeline.beginStack();
  }

  /** What samplers of waiting threads work with. */
  public WallParts wallParts() {
    return WallParts.open(
        new WallParts.Shared(
            store, pipeline, modules, unwinder, methods, names, threads, memory, null, 64));
  }

  /** A sample of one frame, at a time by {@link System#nanoTime}. */
  public StackSnapshot snapshot(long timeNanos) {
    StackSnapshot snapshot = new StackSnapshot(architecture, 4096);
    snapshot.setTimeNanos(timeNanos);
    snapshot.setTid(TID);
    snapshot.setWeightNanos(1_000_000);
    snapshot.registers().setPc(NOWHERE);
    snapshot.setHasRegisters(true);
    snapshot.setStackUnknown(true);
    return snapshot;
  }

  /** Ends recording; the events, by the order of the recording. */
  public List<RecordedEvent> events() throws Exception {
    return fromFile(EventsByTime::of);
  }

  /** Ends recording; the samples, by the order of their time. */
  public List<Sample> samples() throws Exception {
    return fromFile(OwnPipeline::samples);
  }

  private <T> T fromFile(Reader<T> reader) throws Exception {
    store.flush();
    recording.stop();
    Path file = Files.createTempFile("own-pipeline", ".jfr");
    try {
      recording.dump(file);
      return reader.read(file);
    } finally {
      Files.delete(file);
    }
  }

  /** The samples of a recording, by the order of their time. */
  public static List<Sample> samples(Path file) throws RecordingException {
    List<Sample> samples = new ArrayList<>();
    SampledRecording.open(file).forEachSample(samples::add);
    samples.sort(Comparator.comparing(Sample::time));
    return samples;
  }

  /** Reads a recording. */
  private interface Reader<T> {
    T read(Path file) throws Exception;
  }

  /** Those of a name without {@code stackweave.}. */
  public static List<RecordedEvent> of(List<RecordedEvent> events, String type) {
    List<RecordedEvent> found = new ArrayList<>();
    for (RecordedEvent event : events) {
      if (event.getEventType().getName().equals("stackweave." + type)) {
        found.add(event);
      }
    }
    return found;
  }

  /** How much was counted so far. */
  public long count(Counter counter) {
    return counters.get(counter);
  }

  @Override
  public void close() {
    recording.close();
    threads.close();
    store.close();
    memory.close();
    EventStore.unregisterEvents();
  }

  /** When it is committed, as JFR itself has it. */
  @Name("stackweave.test.Moment")
  @StackTrace(false)
  public static class Moment extends Event {}

  /** An engine that delivers nothing by itself. */
  public static class Silent implements SampleEngine {
    private static final EngineDescription DESCRIPTION =
        new EngineDescription(
            EngineKind.PERF, SampledEvent.CPU, 1_000_000, 1_000_000, false, true, 0);

    @Override
    public EngineDescription description() {
      return DESCRIPTION;
    }

    @Override
    public boolean await(int timeoutMillis, boolean gathers) {
      return false;
    }

    @Override
    public void wake() {
      // Nobody waits.
    }

    @Override
    public int drain(long untilTimeNanos, EngineSink sink) {
      return 0;
    }

    @Override
    public EngineState state() {
      return EngineState.SAMPLES_MAY_WAIT;
    }

    @Override
    public double backlog() {
      return 0;
    }

    @Override
    public String note() {
      return "";
    }

    @Override
    public void stop() {
      // It never began.
    }

    @Override
    public EngineStatistics statistics() {
      return new EngineStatistics(EngineKind.PERF);
    }

    @Override
    public void close() {
      // It holds nothing.
    }
  }
}
