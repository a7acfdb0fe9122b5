package stackweave.agent.drain;

import java.lang.instrument.Instrumentation;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import stackweave.agent.attach.StatusBoard;
import stackweave.agent.drain.limit.Room;
import stackweave.agent.drain.status.SamplerTotals;
import stackweave.agent.feature.Feature;
import stackweave.agent.message.Messages;
import stackweave.agent.option.Options;
import stackweave.jfr.control.AskedAt;
import stackweave.jfr.control.SamplingListener;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.SamplerFigures;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.StartWatch;
import stackweave.linux.NativeAccess;

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

  private final Machine machine;
  private final Instrumentation instrumentation;
  private final Options options;
  private final Supplier<List<Feature>> features;
  private final SwitchFile switchFile;
  private final Messages messages;
  private final StatusPublisher publisher;
  private final EventRegistrations registrations = new EventRegistrations();

  // Made for the first request, since their classes take 100 KB of a heap that may be nearly full.
  private volatile SamplerTotals totals;
  private AgentTools tools;

  /** Opened by the first drain thread once the heap has room. At most one drain thread exists. */
  private volatile EventStore store;

  // Guarded by this; drain is also read without it.
  private StartWatch start;
  private volatile DrainThread drain;
  private boolean closed;

  /**
   * @param features asked once, for the first request
   * @param board where the status is published, from the first request on
   */
  public Sampler(
      Instrumentation instrumentation,
      Options options,
      Supplier<List<Feature>> features,
      Messages messages,
      StatusBoard board) {
    this(Machine.REAL, instrumentation, options, features, messages, board);
  }

  Sampler(
      Machine machine,
      Instrumentation instrumentation,
      Options options,
      Supplier<List<Feature>> features,
      Messages messages,
      StatusBoard board) {
    this.machine = machine;
    this.instrumentation = instrumentation;
    this.options = options;
    this.features = features;
    this.switchFile = new SwitchFile(machine.rights(), options.switchFile(), messages);
    this.messages = messages;
    this.publisher = new StatusPublisher(board, switchFile.name(), this::latest, this::hasStarted);
  }

  /** Makes what sampling needs, once. Guarded by this. */
  private void prepare() {
    if (totals == null) {
      tools = new AgentTools(instrumentation, messages, features.get(), options);
      totals = new SamplerTotals();
    }
  }

  /** The latest figures; null if nothing was asked for so far. Any thread. */
  SamplerFigures latest() {
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
      // Ended recordings first, while the drain thread still has their figures.
      publisher.endRecords(request);
      sampleFor(request, asked);
      publisher.beginRecords(request);
      publisher.run();
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
    publisher.waitsFor(whyNot);
  }

  /** Whether samples are taken, or the reason is known why not. Any thread. */
  boolean hasStarted() {
    DrainThread current = drain;
    return current != null && current.hasStarted();
  }

  /** The switch files that are heeded. */
  SwitchFile switchFile() {
    return switchFile;
  }

  /** Whether a drain thread has opened the store. Any thread. */
  boolean hasStore() {
    return store != null;
  }

  /** Why sampling has ended by itself, in one line; empty if it has not. Any thread. */
  String endReason() {
    DrainThread current = drain;
    return current == null ? "" : current.endReason();
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
      publisher.serves(request);
      return;
    }
    if (!stopDrain()) {
      messages.sampling(
          "the sampling thread does not end, so no sampling can be started until the JVM does");
      return;
    }
    publisher.serves(request);
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
                options,
                machine,
                Room.later(instrumentation, machine.heap()),
                switchFile,
                new CountDownLatch(1)),
            tools,
            new Status(machine.process(), totals, start, new Stores(), publisher, messages));
    boolean isReady = false;
    registrations.begin();
    try {
      startDrain();
    } finally {
      try {
        // Also if no thread could be started: then the recording says that it has no samples.
        start.prepare();
        if (drain != null && machine.process().isOwn()) {
          start.awaitNeed(); // many are sampled from outside, by one thread that starts all
        }
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
        store = machine.stores().apply(SessionLegend.info());
      } else {
        // Ids of HotSpot's methods and of modules begin anew with each pipeline.
        store.newGeneration();
      }
      return store;
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
    publisher.endRecords(null);
    boolean ended = stopDrain();
    if (ended && tools != null) {
      tools.close();
    }
    if (store != null) {
      store.close();
    }
    return ended;
  }

  /** The agent's status, one topic a line; up to a second old. Any thread, without a lock. */
  public String report() {
    return publisher.report();
  }

  /** Publishes the status in the agent properties. Any thread. */
  public void showStatus() {
    publisher.run();
  }
}
