package stackweave.agent.decode;

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
import stackweave.agent.drain.limit.Throttle;
import stackweave.agent.feature.FeatureContext;
import stackweave.agent.message.Messages;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineDescription;
import stackweave.engine.EngineSink;
import stackweave.engine.EngineState;
import stackweave.engine.EngineStatistics;
import stackweave.engine.SampleEngine;
import stackweave.engine.perf.PerfBudget;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.NativeAllocation;
import stackweave.jfr.event.NativeMemory;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.Sample;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;
import stackweave.linux.MemoryAccess;
import stackweave.linux.ProcessMemory;
import stackweave.linux.SystemCalls;
import stackweave.testing.EventsByTime;
import stackweave.unwind.Architecture;
import stackweave.unwind.snapshot.StackSnapshot;

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
  public final SamplePipeline pipeline;
  private final ProcessView process =
      new ProcessView(SampledProcess.OWN, new ProcessMemory(), null);
  private final PerfBudget budget = new PerfBudget(1 << 20);
  private final Recording recording = new Recording();
  private final Decoder decoder;

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
    decoder = new Decoder(process, store, counts, 64, null, new Messages(line -> {}));
    pipeline = new SamplePipeline(decoder, null);
    pipeline.follow(
        Silent.DESCRIPTION, new Throttle(100, () -> 0, () -> 0, () -> 0, new SplittableRandom(1)));
    pipeline.beginStack();
  }

  /** What stacks are unwound and named with. */
  public Decoder decoder() {
    return decoder;
  }

  /** What features work with. */
  public FeatureContext context() {
    SamplingRequest request =
        new SamplingRequest(1_000_000, "auto", 64, false, List.of(), List.of());
    return new FeatureContext(
        request,
        decoder,
        pipeline,
        budget,
        EngineConfig.of(request, MemoryAccess.AUTO, SampledProcess.OWN),
        System.nanoTime());
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
  public List<Sample> written() throws Exception {
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
    decoder.close();
    store.close();
    process.close();
    budget.close();
    EventStore.unregisterEvents();
  }

  /** When it is committed, as JFR itself has it. */
  @Name("stackweave.test.Moment")
  @StackTrace(false)
  public static class Moment extends Event {}

  /** An engine that delivers nothing by itself. */
  public static class Silent implements SampleEngine {
    private static final EngineDescription DESCRIPTION =
        new EngineDescription(EngineKind.PERF, SampledEvent.CPU, 1_000_000, 1_000_000, false, 0);

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
