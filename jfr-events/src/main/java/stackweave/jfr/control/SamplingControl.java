package stackweave.jfr.control;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import jdk.jfr.EventSettings;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import stackweave.jfr.call.NativeCall;
import stackweave.jfr.event.SettingsWatch;
import stackweave.jfr.event.load.LoadEvents;
import stackweave.jfr.process.SampledProcess;

/**
 * Watches JFR's recordings and reports to the {@link SamplingListener} when samples are requested,
 * and which. Started in premain, closed at detach. Thread-safe.
 *
 * <p>JFR reports a change on the thread that made it, possibly holding the recorder's monitor:
 * there only a flag is set. A thread of this class then looks at the running recordings, applies
 * {@link SamplingRule} and reports a new result; it ends after a second without changes. The lock
 * here must never be held while calling JFR.
 */
public final class SamplingControl implements AutoCloseable {
  /**
   * The name of a recording that gets a file beside JFR's repository, named as that with {@code
   * .jfr} at its end. JFR of JDK 17 and 21 writes none if it knows a directory only, and the
   * recording's duration ends before the JVM.
   */
  public static final String TIMED = "stackweave-timed";

  private static final String REPOSITORY = "jdk.jfr.repository";
  private static final long IDLE_MILLIS = 1_000;
  private static final int CALLERS_LOOKED_AT = 64;

  private final SamplingRule rule;
  private final CallRule calls;
  private final SamplingListener listener;
  private final StartGate gate;
  private final RecorderListener recorderListener = new RecorderListener();

  /**
   * Nothing may be called while holding it, JFR least of all: threads that hold JFR's locks wait
   * for it.
   */
  private final Object lock = new Object();

  // Guarded by lock.
  private boolean mark;

  /**
   * The time of the first change that {@link #mark} stands for, or stood for when it was taken; if
   * {@link #isTimed}.
   */
  private long markNanos;

  /** Whether the mark stands for a change, and not only for the recorder's start. */
  private boolean isTimed;

  private boolean running;

  /** Written under the lock. */
  private volatile boolean closed;

  private final Set<Long> startedByCommand = ConcurrentHashMap.newKeySet();

  private final Poll poll = new Poll();

  // Written by the control thread only, of which there is one at a time.
  private volatile SamplingRequest told;
  private List<String> toldNotes = List.of();

  /** When samples were first found to be requested; kept until the listener is called. */
  private AskedAt asked;

  private volatile EventIds eventIds = EventIds.NONE;

  /** Whether JFR had begun before this did. */
  private volatile boolean wasInitialized;

  private boolean firstAsked;
  private volatile boolean failureSaid;

  /**
   * @param explicitOnly whether only recordings that name {@code stackweave.NativeSample} or {@code
   *     stackweave.WallSample} in their settings are served, and not all that a person started
   * @param listener called on this class's thread, one call at a time
   * @param gate asked on the control thread before events are registered and recordings looked at;
   *     null for none
   */
  public SamplingControl(
      boolean explicitOnly, SamplingDefaults defaults, SamplingListener listener, StartGate gate) {
    this.gate = gate;
    this.rule = new SamplingRule(explicitOnly, defaults);
    this.listener = listener;
    this.calls = new CallRule(explicitOnly);
  }

  /**
   * Tells another listener what recordings ask of native calls. Before {@link #start}.
   *
   * @param calls called on whatever thread starts or stops a recording, and on this class's
   */
  public void timeCalls(CallListener calls) {
    this.calls.tell(calls);
  }

  /**
   * Starts watching; recordings that run already count.
   *
   * @throws LinkageError if the JVM has no JFR module
   * @throws IllegalStateException if JFR is disabled
   */
  public void start() {
    wasInitialized = FlightRecorder.isInitialized();
    FlightRecorder.addListener(recorderListener);
  }

  /** Stops watching; the listener is not called any more, except for a call under way. */
  @Override
  public void close() {
    FlightRecorder.removeListener(recorderListener);
    FlightRecorder.removePeriodicEvent(poll);
    synchronized (lock) {
      closed = true;
      lock.notifyAll();
    }
  }

  /**
   * Sets the flag that recordings may have changed. Cheap, never blocks for long.
   *
   * @param isChange whether there is a change now; else one may follow
   */
  private void signal(boolean isChange) {
    boolean startThread;
    synchronized (lock) {
      if (closed) {
        return;
      }
      if (!mark || !isTimed) {
        markNanos = System.nanoTime();
        isTimed = isChange;
      }
      mark = true;
      lock.notifyAll();
      startThread = !running;
      running = true;
    }
    if (startThread) {
      startThread();
    }
  }

  /** Starts the control thread, which inherits nothing from the thread that changes a recording. */
  private void startThread() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group != null && group.getParent() != null) {
      group = group.getParent();
    }
    try {
      Thread thread = new Thread(group, new Watch(), "stackweave-control", 0, false);
      thread.setDaemon(true);
      thread.setContextClassLoader(null);
      thread.start();
    } catch (OutOfMemoryError e) {
      notStarted();
      listener.onNoThread();
    } catch (Throwable e) {
      notStarted(); // a security manager may refuse it
      sayFailure(e);
    }
  }

  /** The next change tries again. */
  private void notStarted() {
    synchronized (lock) {
      running = false;
    }
  }

  private void sayFailure(Throwable failure) {
    if (!failureSaid) {
      failureSaid = true;
      listener.onFailure(failure);
    }
  }

  /** Waits for the flag; false if the thread is to end. */
  private boolean takeMark() {
    long end = System.nanoTime() + IDLE_MILLIS * 1_000_000L;
    synchronized (lock) {
      for (long left = IDLE_MILLIS; !mark && !closed && left > 0; ) {
        try {
          lock.wait(left);
          left = (end - System.nanoTime()) / 1_000_000L;
        } catch (InterruptedException e) {
          left = 0;
        }
      }
      if (!mark || closed) {
        running = false;
        return false;
      }
      mark = false;
      return true;
    }
  }

  /**
   * Records when samples were first requested, before anything else is done for them: CPU time used
   * from then on has no samples yet.
   *
   * @return what is requested, as far as it can be known without the events' ids; null for nothing
   */
  private SamplingRequest ask() {
    SamplingRequest request = rule.decide(running(), eventIds);
    if (request == null) {
      asked = null;
    } else if (asked == null) {
      asked = askedAtLastChange();
    }
    return request;
  }

  private AskedAt askedAtLastChange() {
    long changed;
    synchronized (lock) {
      changed = isTimed ? markNanos : System.nanoTime();
    }
    return new AskedAt(changed, SampledProcess.OWN.cpuNanos());
  }

  private void look() {
    List<SamplingRule.Facts> running = running();
    if (!running.isEmpty() && eventIds == EventIds.NONE) {
      // The change may have been signalled before a recording ran: JFR reports its own start first.
      SamplingRequest early = ask();
      if (!firstAsked && early != null) {
        firstAsked = true;
        listener.onFirstAsked();
      }
      registerEvents(early);
    }
    enableWhereLeftOpen();
    List<String> notes = new ArrayList<>();
    SamplingRequest request = rule.decide(running(), eventIds, notes);
    calls.look(running(), notes);
    notes.addAll(calls.takeNotes());
    if (!Objects.equals(request, told)) {
      AskedAt at = told == null && asked != null ? asked : askedAtLastChange();
      told = request;
      asked = null;
      listener.onRequest(request, at);
    }
    // Not while no recording runs: JFR reports its start before its first recording, which may ask.
    if (request == null && !running.isEmpty()) {
      LoadEvents.notSampled();
    }
    if (!notes.equals(toldNotes)) {
      toldNotes = List.copyOf(notes);
      listener.onNotes(toldNotes);
    }
  }

  /**
   * @param early the request so far; null for none
   */
  private void registerEvents(SamplingRequest early) {
    boolean registered = false;
    listener.onRegistering();
    try {
      requestEarly(early);
      eventIds = EventIds.register();
      // A type registers itself at its first use, but not again after an earlier detach.
      FlightRecorder.register(SettingsWatch.class);
      FlightRecorder.addPeriodicEvent(SettingsWatch.class, poll);
      enableWhereLeftOpen(); // before anything is written
      registered = true;
    } finally {
      listener.onRegistered();
      if (!registered) {
        withdraw(); // so that the drain thread ends before the next attempt
      }
    }
  }

  private void withdraw() {
    eventIds = EventIds.NONE;
    if (told != null) {
      told = null;
      listener.onRequest(null, AskedAt.now());
    }
  }

  /**
   * Requests samples before their events are registered, since both take as long as each other. The
   * request may change after that: recordings may name events by their ids.
   */
  private void requestEarly(SamplingRequest request) {
    if (request != null && told == null) {
      told = request;
      listener.onRequest(request, asked);
      asked = null;
    }
  }

  /** See {@link SamplingRule#leftOpen}: completes the recordings' settings. */
  private void enableWhereLeftOpen() {
    for (Recording recording : FlightRecorder.getFlightRecorder().getRecordings()) {
      if (recording.getState() != RecordingState.RUNNING) {
        continue;
      }
      SamplingRule.Facts facts = factsOf(recording);
      try {
        for (Map.Entry<String, Long> open : leftOpen(facts).entrySet()) {
          EventSettings settings = recording.enable(open.getKey());
          if (open.getValue() != SampledFeature.ON) {
            settings.with("threshold", open.getValue() + " ns");
          }
        }
      } catch (IllegalStateException e) {
        continue; // stopped meanwhile, so it requests nothing
      }
    }
  }

  private Map<String, Long> leftOpen(SamplingRule.Facts facts) {
    Map<String, Long> open = rule.leftOpen(facts, eventIds);
    OptionalLong ofCalls = calls.leavesOpen(facts);
    if (ofCalls.isPresent()) {
      open.put(NativeCall.NAME, ofCalls.getAsLong());
    }
    return open;
  }

  private List<SamplingRule.Facts> running() {
    List<SamplingRule.Facts> running = new ArrayList<>();
    for (Recording recording : FlightRecorder.getFlightRecorder().getRecordings()) {
      if (recording.getState() == RecordingState.RUNNING) {
        running.add(factsOf(recording));
      }
    }
    return running;
  }

  private SamplingRule.Facts factsOf(Recording recording) {
    // All these calls take JFR's lock. A thread that changes settings holds it while it waits for
    // our lock, so they must not be made while holding ours.
    long id = recording.getId();
    String name = recording.getName();
    return new SamplingRule.Facts(
        name,
        !name.equals(Long.toString(id)),
        recording.getDestination() != null,
        startedByCommand.contains(id),
        recording.isToDisk(),
        withoutJdks(recording.getSettings()));
  }

  /** Settings without those of the JDK's own events: these are hundreds, and no rule reads them. */
  private static Map<String, String> withoutJdks(Map<String, String> settings) {
    Map<String, String> others = new HashMap<>();
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      if (!setting.getKey().startsWith("jdk.")) {
        others.put(setting.getKey(), setting.getValue());
      }
    }
    return others;
  }

  /** Classes instead of lambdas: bootstrapping those would cost premain some milliseconds. */
  private final class Watch implements Runnable, StartGate.Recordings {
    @Override
    public boolean areRunning() {
      return !running().isEmpty();
    }

    @Override
    public boolean ask() {
      return SamplingControl.this.ask() != null;
    }

    @Override
    public void run() {
      while (takeMark()) {
        try {
          if (told == null) {
            SamplingControl.this.ask(); // before the steps that take long
          }
          if ((gate == null || gate.await(this)) && !closed) {
            look();
          }
        } catch (IllegalStateException e) {
          continue; // A recording was closed meanwhile, or JFR is shutting down: the flag is set.
        } catch (Throwable e) {
          // It may neither reach the application's handler of uncaught exceptions nor end the
          // thread.
          sayFailure(e);
        }
      }
    }
  }

  /** Called on JFR's periodic thread: checks for changes that JFR doesn't report. */
  private final class Poll implements Runnable {
    @Override
    public void run() {
      try {
        poll();
      } catch (OutOfMemoryError | IllegalStateException e) {
        return; // the heap is full, or a recording was closed; called again in a second
      } catch (Throwable e) {
        sayFailure(e); // JFR would print it each time
      }
    }

    private void poll() {
      List<SamplingRule.Facts> running = running();
      if (calls.isOn()) {
        calls.look(running, new ArrayList<>());
      }
      boolean isNew = calls.hasNotes() || !Objects.equals(rule.decide(running, eventIds), told);
      for (SamplingRule.Facts facts : running) {
        isNew |= !leftOpen(facts).isEmpty();
      }
      if (isNew) {
        signal(true);
      }
    }
  }

  private final class RecorderListener implements FlightRecorderListener {
    @Override
    public void recorderInitialized(FlightRecorder recorder) {
      // At once: the application's first libraries are loaded before another thread could do it.
      try {
        LoadEvents.registerEarly();
      } finally {
        // Also if that fails: there is a recording to look at, or there will be. JFR signals its
        // start while it starts, and a recording may be found before that.
        signal(wasInitialized);
      }
    }

    @Override
    public void recordingStateChanged(Recording recording) {
      long id = recording.getId();
      if (recording.getState() == RecordingState.RUNNING && isStartedByCommand()) {
        startedByCommand.add(id);
      }
      if (recording.getState() == RecordingState.CLOSED) {
        startedByCommand.remove(id);
      }
      if (recording.getState() == RecordingState.RUNNING && recording.getName().equals(TIMED)) {
        giveFile(recording);
      }
      lookAtCalls();
      signal(true);
    }

    private void giveFile(Recording recording) {
      try {
        recording.setDestination(Path.of(System.getProperty(REPOSITORY) + ".jfr"));
      } catch (IOException | RuntimeException e) {
        return; // then JFR names a file, or none
      }
    }

    /** Called at once, so that no call of a recording that begins before main is missed. */
    private void lookAtCalls() {
      if (!calls.isOn()) {
        return;
      }
      try {
        calls.look(running(), new ArrayList<>());
      } catch (Throwable e) {
        // The caller is the application. The control thread looks again, and reports what is wrong.
        return;
      }
    }

    /**
     * Whether JFR.start or -XX:StartFlightRecording is calling: without a name and a file name they
     * leave no other trace in the recording. A delayed start comes from a timer and must be
     * recognised by name or file.
     */
    private boolean isStartedByCommand() {
      StackTraceElement[] callers = new Throwable().getStackTrace();
      for (int i = 0; i < callers.length && i < CALLERS_LOOKED_AT; i++) {
        if (callers[i].getClassName().startsWith("jdk.jfr.internal.dcmd.")) {
          return true;
        }
      }
      return false;
    }
  }
}
