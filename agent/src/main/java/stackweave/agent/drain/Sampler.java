package stackweave.agent.drain;

import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import stackweave.agent.attach.RecordName;
import stackweave.agent.attach.Serving;
import stackweave.agent.attach.StatusBoard;
import stackweave.agent.attach.SwitchPlaces;
import stackweave.agent.drain.feature.Feature;
import stackweave.agent.drain.limit.HeapRoom;
import stackweave.agent.drain.limit.MetaspaceRoom;
import stackweave.agent.drain.limit.ProcessRoom;
import stackweave.agent.drain.limit.Room;
import stackweave.agent.drain.status.SamplerTotals;
import stackweave.agent.drain.status.StatusReport;
import stackweave.agent.engine.choice.EngineSource;
import stackweave.agent.linux.NativeAccess;
import stackweave.agent.message.Messages;
import stackweave.agent.message.Version;
import stackweave.hotspot.model.FrameKind;
import stackweave.jfr.control.AskedAt;
import stackweave.jfr.control.SamplingListener;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.SamplerFigures;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StartWatch;
import stackweave.jfr.store.StoreLimits;
import stackweave.unwind.StopReason;
import stackweave.unwind.walk.Found;

/**
 * Starts and stops the drain thread as recordings request samples, and publishes the agent's
 * status. Owned by the running agent; requests come from the recording control. Thread-safe.
 * Requests must not be held up by more than {@link #STOP_MILLIS}.
 */
public final class Sampler implements SamplingListener {
  /**
   * How long to wait for the drain thread to end; closing the events of 4,096 threads takes well
   * below a second.
   */
  private static final long STOP_MILLIS = 10_000;

  /**
   * What is this machine's, except in tests.
   *
   * @param engines starts engines
   * @param heap the JVM's
   */
  record Machine(EngineSource engines, HeapRoom.Heap heap) {
    static final Machine REAL = new Machine(EngineSource.OF_MACHINE, HeapRoom.Heap.OF_JVM);
  }

  private final Machine machine;
  private final Instrumentation instrumentation;
  private final SamplerSettings settings;
  private final Supplier<List<Feature>> features;
  private final SwitchFile switchFile;
  private final Messages messages;
  private final StatusBoard board;
  private final EventRegistrations registrations = new EventRegistrations();

  // Made for the first request, since their classes take 100 KB of a heap that may be nearly full.
  private volatile SamplerTotals totals;
  private AgentTools tools;

  /** Null if samples are not to be woven. */
  private final Weaving weaving;

  /** Opened by the first drain thread once the heap has room. At most one drain thread exists. */
  private volatile EventStore store;

  // Written under the lock of this; drain is read without it, too.
  private StartWatch start;
  private volatile DrainThread drain;
  private boolean closed;

  /** Why sampling for a request has not begun; empty if none waits. */
  private volatile String waiting = "";

  /** The request being served; null if none. */
  private volatile SamplingRequest served;

  /** The running recordings of the command record by name, with the figures at their start. */
  private final Map<String, SamplerFigures> records = new ConcurrentHashMap<>();

  /**
   * @param features asked once, for the first request
   * @param board where the status is published, from the first request on
   */
  public Sampler(
      Instrumentation instrumentation,
      SamplerSettings settings,
      Supplier<List<Feature>> features,
      Messages messages,
      StatusBoard board) {
    this(Machine.REAL, instrumentation, settings, features, messages, board);
  }

  Sampler(
      Machine machine,
      Instrumentation instrumentation,
      SamplerSettings settings,
      Supplier<List<Feature>> features,
      Messages messages,
      StatusBoard board) {
    this.machine = machine;
    this.instrumentation = instrumentation;
    this.settings = settings;
    this.features = features;
    this.switchFile = new SwitchFile(settings.switchFile(), messages);
    this.weaving = settings.weave() ? new Weaving(instrumentation, messages) : null;
    this.messages = messages;
    this.board = board;
  }

  /**
   * Loads what sampling needs while the JVM and JFR start, on a thread of its own. Where anything
   * of that is limited, it does nothing: JFR has not begun, and will take its part.
   */
  public void loadEarly() {
    if (new HeapRoom(machine.heap()).mayBegin() && ProcessRoom.isUnlimited()) {
      NativeAccess.begin(new LoadEarly());
    }
  }

  private final class LoadEarly implements NativeAccess.Others {
    /** Asked on that thread, for it takes some milliseconds. */
    @Override
    public boolean areWelcome() {
      return MetaspaceRoom.of(instrumentation).isKnownUnlimited();
    }

    @Override
    public void load() {
      synchronized (Sampler.this) {
        if (!closed) {
          prepare();
        }
      }
      StartClasses.load();
    }
  }

  /** Makes what sampling needs, once. Under the lock of this. */
  private void prepare() {
    if (totals == null) {
      tools = AgentTools.of(instrumentation, messages, features.get(), settings);
      totals = new SamplerTotals();
    }
  }

  /** The latest figures; null if nothing was asked for so far. Any thread. */
  private SamplerFigures latest() {
    SamplerTotals made = totals;
    return made == null ? null : made.latest();
  }

  @Override
  public void onFirstAsked() {
    NativeAccess.begin();
  }

  @Override
  public void onRegistering() {
    registrations.begin();
  }

  @Override
  public void onRegistered() {
    registrations.end();
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
      // First those that have ended, while the drain thread still has their figures.
      endRecords(request);
      sampleFor(request, asked);
      beginRecords(request);
      showStatus();
    } catch (Throwable e) {
      // The caller is JFR or the application and must not see a failure of the agent.
      messages.sampling("sampling can't be started or stopped (" + e + ")");
    }
  }

  /** Prints the notes on stderr, where they may be read before the recording is. */
  @Override
  public void onNotes(List<String> notes) {
    for (String note : notes) {
      messages.setting(note);
    }
  }

  @Override
  public void onFailure(Throwable failure) {
    messages.sampling(
        "not sampling, if a recording asks for it: recordings can't be looked at ("
            + failure
            + ")");
  }

  @Override
  public void onNoThread() {
    messages.sampling(
        "not sampling, if a recording asks for it: no thread can be started, for the user's processes"
            + " (ulimit -u), the container's (pids.max) or memory are limited");
  }

  /**
   * Shows in the status why sampling has not begun: memory that it needs is not free.
   *
   * @param whyNot in one line; empty if nothing waits
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
    SamplerFigures latest = latest();
    for (String name : request.recordings()) {
      if (RecordName.isRecord(name)) {
        records.putIfAbsent(name, latest == null ? SamplerFigures.NONE : latest);
      }
    }
  }

  /**
   * Publishes the summary of the recordings that are not in this request any more; their end has
   * made the drain thread publish its figures.
   */
  private void endRecords(SamplingRequest request) {
    for (Map.Entry<String, SamplerFigures> each : records.entrySet()) {
      String name = each.getKey();
      if (request == null || !request.recordings().contains(name)) {
        records.remove(name);
        SamplerFigures latest = latest();
        String report =
            latest == null
                ? ""
                : String.join("\n", StatusReport.lines(latest.since(each.getValue())));
        board.serve(name, new Serving(Serving.Stage.ENDED, report));
      }
    }
  }

  /** Whether samples are taken, or the reason is known why not. Any thread. */
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
    if (request == null && totals == null) {
      return;
    }
    prepare();
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
      discardRest();
      return;
    }
    totals.missed.begin(asked.cpuNanos(), totals.earlierDrainCpuNanos);
    start = StartWatch.begin(asked.nanos(), totals.missed, request.notes());
    drain =
        new DrainThread(
            new DrainParts(
                request,
                settings,
                machine.engines(),
                Room.later(instrumentation, machine.heap()),
                switchFile,
                new CountDownLatch(1)),
            tools,
            new Status(totals, start, new Stores(), weaving, new Board(), messages));
    boolean isReady = false;
    registrations.begin();
    try {
      startDrain();
    } finally {
      try {
        // Also where no thread could be started: the recording says then that it has no samples.
        start.prepare();
        isReady = true;
      } finally {
        registrations.end();
        if (!isReady) {
          stopDrain();
        }
      }
    }
  }

  private void startDrain() {
    boolean started = false;
    try {
      drain.start();
      started = true;
    } finally {
      if (!started) {
        drain = null; // the next request tries again
      }
    }
  }

  /**
   * Discards what the engine counted after the last recording, so that the next one does not report
   * it.
   */
  private void discardRest() {
    SamplerFigures latest = latest();
    if (store != null && latest != null) {
      totals.missed.stated(latest.get(Counter.CPU_MISSED));
      store.passOver(latest);
    }
    totals.missed.forget();
  }

  // Classes instead of lambdas until the heap is known to have room: bootstrapping the first lambda
  // takes half a MiB of it.

  /** Opens the store; on the drain thread. */
  private final class Stores implements Supplier<EventStore> {
    @Override
    public EventStore get() {
      registrations.await();
      if (store == null) {
        EventStore opened = EventStore.open(sessionInfo(), StoreLimits.DEFAULT);
        if (weaving != null) {
          weaving.begin(opened);
        }
        store = opened;
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
   * Stops sampling for good and releases everything; any thread.
   *
   * @return false if the drain thread did not end in time
   */
  public synchronized boolean close() {
    closed = true;
    endRecords(null);
    boolean ended = stopDrain();
    if (ended && tools != null) {
      tools.close();
    }
    if (weaving != null) {
      weaving.close();
    }
    if (store != null) {
      store.close();
    }
    return ended;
  }

  /** The agent's status, one topic a line; up to a second old. Any thread, without a lock. */
  public String report() {
    List<String> lines = new ArrayList<>();
    SamplerFigures latest = latest();
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
    if (samples) {
      return "sampling for recording " + names;
    }
    boolean isOff = latest != null && latest.note().contains(SwitchPlaces.SWITCHED_OFF);
    return (isOff ? "switched off, " : "") + "asked for samples by recording " + names;
  }

  /** Publishes the status in the agent properties. Any thread; takes only the board's lock. */
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
        ThreadState.legend(),
        Arrays.stream(Found.values())
            .map(way -> way.code() + "=" + way.label())
            .collect(Collectors.joining(",")),
        Arrays.stream(Found.values())
            .filter(Found::isGuess)
            .map(way -> Integer.toString(way.code()))
            .collect(Collectors.joining(",")));
  }
}
