package stackweave.agent.drain;

import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import stackweave.agent.attach.RecordName;
import stackweave.agent.attach.Serving;
import stackweave.agent.attach.StatusBoard;
import stackweave.agent.attach.SwitchPlaces;
import stackweave.agent.drain.failure.FailureFiles;
import stackweave.agent.drain.sample.SamplePipeline;
import stackweave.agent.drain.status.SamplerTotals;
import stackweave.agent.drain.status.StatusReport;
import stackweave.agent.engine.choice.EngineSource;
import stackweave.agent.linux.MemoryAccess;
import stackweave.agent.message.Messages;
import stackweave.agent.message.Version;
import stackweave.hotspot.model.FrameKind;
import stackweave.jfr.control.AskedAt;
import stackweave.jfr.control.SamplingListener;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.SamplerFigures;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StartWatch;
import stackweave.jfr.store.StoreLimits;
import stackweave.unwind.StopReason;

/** Starts and stops the drain thread as recordings ask. Thread-safe. */
public final class Sampler implements SamplingListener {
  /** Closing the events of 4,096 threads takes well below a second. */
  private static final long STOP_MILLIS = 10_000;

  private final EngineSource engines;
  private final PipelineFactory pipelines;
  private final SwitchFile switchFile;
  private final Messages messages;
  private final StatusBoard board;
  private final int drainPercent;
  private final long perfMemoryBytes;
  private final SamplerTotals totals = new SamplerTotals();

  /** Opened by the first drain thread once the heap has room for it; there is one at a time. */
  private volatile EventStore store;

  // Written under the lock of this; drain is read without it, too.
  private StartWatch start;
  private volatile DrainThread drain;
  private boolean closed;

  /** Why it isn't begun to sample for those who ask; "" while nobody is kept waiting. */
  private volatile String waiting = "";

  /** Whom it samples for; null while for nobody. */
  private volatile SamplingRequest served;

  /**
   * The recordings of the command line that it samples for, by name, with the figures of their
   * beginning.
   */
  private final Map<String, SamplerFigures> records = new ConcurrentHashMap<>();

  /**
   * @param hooks whether classes of the JDK may be instrumented while sampling goes on
   * @param recordFailures the directory for replay files of stacks that don't reach their root, or
   *     empty
   * @param switchFile the file that switches sampling off, or empty: the usual one
   * @param memoryAccess what the process's own memory is to be read with
   * @param drainPercent how much of a core the drain thread may use
   * @param perfMemoryBytes of the kernel's memory that perf may take for inherited events
   * @param board shows how sampling goes, from the first request on
   */
  public Sampler(
      Instrumentation instrumentation,
      boolean hooks,
      String recordFailures,
      String switchFile,
      MemoryAccess memoryAccess,
      int drainPercent,
      long perfMemoryBytes,
      Messages messages,
      StatusBoard board) {
    this(
        EngineSource.OF_MACHINE,
        instrumentation,
        hooks,
        recordFailures,
        switchFile,
        memoryAccess,
        drainPercent,
        perfMemoryBytes,
        messages,
        board);
  }

  /** The same with other engines than the machine's. */
  Sampler(
      EngineSource engines,
      Instrumentation instrumentation,
      boolean hooks,
      String recordFailures,
      String switchFile,
      MemoryAccess memoryAccess,
      int drainPercent,
      long perfMemoryBytes,
      Messages messages,
      StatusBoard board) {
    this.engines = engines;
    this.pipelines =
        new PipelineFactory(
            instrumentation,
            hooks,
            recordFailures.isEmpty() ? null : new FailureFiles(recordFailures, messages),
            memoryAccess,
            messages);
    this.switchFile = new SwitchFile(switchFile, messages);
    this.drainPercent = drainPercent;
    this.perfMemoryBytes = perfMemoryBytes;
    this.messages = messages;
    this.board = board;
  }

  @Override
  public void onRequest(SamplingRequest request) {
    onRequest(request, AskedAt.now());
  }

  @Override
  public synchronized void onRequest(SamplingRequest request, AskedAt asked) {
    if (closed) {
      return;
    }
    try {
      // Those that ended before the drain goes on without them, or ends.
      endRecords(request);
      sampleFor(request, asked);
      beginRecords(request);
      showStatus();
    } catch (Throwable e) {
      // Whatever it is, it is ours to bear, and the caller has nobody to tell.
      messages.sampling("sampling can't be started or stopped (" + e + ")");
    }
  }

  /** On stderr, where somebody may read them before they look into the recording. */
  @Override
  public void onNotes(List<String> notes) {
    for (String note : notes) {
      messages.setting(note);
    }
  }

  /**
   * Says where the state is asked for why sampling is not begun: memory that it needs is not there.
   *
   * @param whyNot in one line; "" while nobody is kept waiting
   */
  void waitsFor(String whyNot) {
    if (!waiting.equals(whyNot)) {
      waiting = whyNot;
      showStatus();
    }
  }

  private void beginRecords(SamplingRequest request) {
    if (request == null) {
      return;
    }
    SamplerFigures latest = totals.latest();
    for (String name : request.recordings()) {
      if (RecordName.isRecord(name)) {
        records.putIfAbsent(name, latest == null ? SamplerFigures.NONE : latest);
      }
    }
  }

  /** Of those that are not in this request: their end has made the drain thread say how it went. */
  private void endRecords(SamplingRequest request) {
    for (Map.Entry<String, SamplerFigures> each : records.entrySet()) {
      String name = each.getKey();
      if (request == null || !request.recordings().contains(name)) {
        records.remove(name);
        SamplerFigures latest = totals.latest();
        String report =
            latest == null
                ? ""
                : String.join("\n", StatusReport.lines(latest.since(each.getValue())));
        board.serve(name, new Serving(Serving.Stage.ENDED, report));
      }
    }
  }

  /** Whether samples are taken, or it is known why they can't be. Any thread. */
  boolean hasStarted() {
    DrainThread current = drain;
    return current != null && current.hasStarted();
  }

  private void showRecords() {
    Serving.Stage stage = hasStarted() ? Serving.Stage.SAMPLING : Serving.Stage.PREPARING;
    for (String name : records.keySet()) {
      board.serve(name, new Serving(stage, ""));
    }
  }

  private void sampleFor(SamplingRequest request, AskedAt asked) {
    totals.settingsNote = request == null ? "" : String.join("; ", request.notes());
    if (drain != null
        && !drain.hasEnded()
        && request != null
        && request.samplesLike(drain.request())) {
      served = request;
      return;
    }
    if (!stopDrain()) {
      messages.sampling(
          "the sampling thread does not end, so no sampling can be started until the JVM does");
      return;
    }
    served = request;
    if (request == null) {
      passOverTheRest();
      return;
    }
    totals.missed.begin(asked.cpuNanos(), totals.earlierDrainCpuNanos);
    start = StartWatch.begin(asked.nanos(), totals.missed, request.notes());
    drain =
        new DrainThread(
            request,
            start,
            drainPercent,
            perfMemoryBytes,
            new Stores(),
            totals,
            new Board(),
            engines,
            pipelines,
            switchFile,
            messages);
    drain.start();
  }

  /** What the engine saw until it was stopped, after the last recording, is not the next one's. */
  private void passOverTheRest() {
    SamplerFigures latest = totals.latest();
    if (store != null && latest != null) {
      totals.missed.stated(latest.get(Counter.CPU_MISSED));
      store.passOver(latest);
    }
    totals.missed.forget();
  }

  // Classes instead of lambdas, up to where the heap is known to have room: bootstrapping the first
  // takes half a MiB of it.

  /** On the drain thread. */
  private final class Stores implements Supplier<EventStore> {
    @Override
    public EventStore get() {
      if (store == null) {
        store = EventStore.open(sessionInfo(), StoreLimits.DEFAULT);
      } else {
        // Ids of the HotSpot methods and modules begin anew with each pipeline.
        store.newGeneration();
      }
      return store;
    }
  }

  private final class Board implements Runnable {
    @Override
    public void run() {
      showStatus();
    }
  }

  private boolean stopDrain() {
    if (drain != null && !drain.stop(STOP_MILLIS)) {
      return false;
    }
    drain = null;
    if (start != null) {
      start.close();
      start = null;
    }
    return true;
  }

  /**
   * Stops sampling for good and gives everything back; any thread.
   *
   * @return false if the drain thread did not end in time
   */
  public synchronized boolean close() {
    closed = true;
    endRecords(null);
    boolean ended = stopDrain();
    if (ended) {
      pipelines.close();
    }
    if (store != null) {
      store.close();
    }
    return ended;
  }

  /** How sampling goes, a line for each matter; up to a second old. Any thread, without a lock. */
  public String report() {
    List<String> lines = new ArrayList<>();
    SamplerFigures latest = totals.latest();
    lines.add("state: " + state(latest));
    if (!switchFile.name().isEmpty()) {
      lines.add(SwitchPlaces.STATUS + switchFile.name());
    }
    if (latest != null) {
      lines.addAll(StatusReport.lines(latest));
    }
    return String.join("\n", lines);
  }

  private String state(SamplerFigures latest) {
    SamplingRequest request = served;
    if (request == null) {
      return waiting.isEmpty()
          ? "dormant, for no recording asks for samples"
          : "waiting for room, not sampling: " + waiting;
    }
    boolean samples = latest != null && !latest.engine().isEmpty();
    String names = String.join(", ", request.recordings());
    return samples ? "sampling for recording " + names : "asked for samples by recording " + names;
  }

  /** Puts the report on the board. Any thread, without a lock of ours. */
  public void showStatus() {
    board.show(Version.current(), report());
    showRecords();
  }

  private static SessionInfo sessionInfo() {
    return new SessionInfo(
        Version.current(),
        System.getProperty("os.arch") + "-linux",
        Arrays.stream(FrameKind.values())
            .map(kind -> kind.code() + "=" + kind.label())
            .collect(Collectors.joining(",")),
        Arrays.stream(StopReason.values())
            .map(reason -> reason.code() + "=" + reason.label())
            .collect(Collectors.joining(",")),
        Arrays.stream(StopReason.values())
            .filter(StopReason::isComplete)
            .map(reason -> Integer.toString(reason.code()))
            .collect(Collectors.joining(",")),
        SamplePipeline.ON_CPU + "=on CPU");
  }
}
