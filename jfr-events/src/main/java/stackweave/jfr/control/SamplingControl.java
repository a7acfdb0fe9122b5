package stackweave.jfr.control;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.SettingChange;
import stackweave.jfr.event.SettingsWatch;

/**
 * Watches JFR's recordings and says when samples are asked for, and which; started in premain.
 *
 * <p>JFR tells of a change on whatever thread made it, maybe under the recorder's monitor: there
 * only a mark is set. A thread of ours looks at the running recordings, applies {@link
 * SamplingRule} and tells the {@link SamplingListener} if the answer is a new one; it ends when
 * nothing has happened for a second. No lock of ours is held while one of JFR's is wanted.
 */
public final class SamplingControl implements AutoCloseable {
  private static final long IDLE_MILLIS = 1_000;
  private static final int CALLERS_LOOKED_AT = 64;

  private final SamplingRule rule;
  private final SamplingListener listener;
  private final StartGate gate;
  private final RecorderListener recorderListener = new RecorderListener();

  /** Nothing is called under it, least of all JFR: threads that hold JFR's locks wait for it. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition marked = lock.newCondition();

  // Guarded by lock.
  private boolean mark;

  /** Whether a change was noticed since recordings were last asked. */
  private boolean changedSinceAsked;

  /** When the first change happened that {@link #mark} stands for. */
  private long markNanos;

  private boolean running;
  private boolean closed;
  private final Set<Long> startedByCommand = new HashSet<>();

  private final Poll poll = new Poll();

  // Written by the control thread only, of which there is one at a time.
  private volatile SamplingRequest told;
  private List<String> toldNotes = List.of();

  /** When it was learnt that samples are asked for, until the listener is told. */
  private AskedAt asked;

  private volatile long eventTypeId = -1;

  /**
   * @param explicitOnly whether only recordings that name {@code stackweave.NativeSample} in their
   *     settings are served, and not those that a person started without naming it
   * @param defaultIntervalNanos interval of recordings that name none, in nanoseconds
   * @param defaultEngine engine of recordings that name none; {@code auto} leaves it open
   * @param defaultDepth depth of recordings that name none
   * @param listener told of each change, see there for the thread
   */
  public SamplingControl(
      boolean explicitOnly,
      long defaultIntervalNanos,
      String defaultEngine,
      int defaultDepth,
      SamplingListener listener) {
    this(explicitOnly, defaultIntervalNanos, defaultEngine, defaultDepth, listener, null);
  }

  /**
   * The same, but nothing is registered with JFR before something has happened.
   *
   * @param gate asked on the control thread before recordings are looked at; null: at once
   */
  public SamplingControl(
      boolean explicitOnly,
      long defaultIntervalNanos,
      String defaultEngine,
      int defaultDepth,
      SamplingListener listener,
      StartGate gate) {
    this.gate = gate;
    this.rule = new SamplingRule(explicitOnly, defaultIntervalNanos, defaultEngine, defaultDepth);
    this.listener = listener;
  }

  /**
   * Begins to watch; recordings that run already count.
   *
   * @throws LinkageError where the JVM has no JFR module
   * @throws IllegalStateException where JFR is switched off
   */
  public void start() {
    FlightRecorder.addListener(recorderListener);
  }

  /** Ends watching; the listener is not told any more, but for a call that is under way. */
  @Override
  public void close() {
    FlightRecorder.removeListener(recorderListener);
    FlightRecorder.removePeriodicEvent(poll);
    SettingChange.setReceiver(null);
    lock.lock();
    try {
      closed = true;
      marked.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** Takes note that recordings may have changed. Cheap, never blocks for long. */
  private void signal() {
    boolean startThread;
    lock.lock();
    try {
      if (closed) {
        return;
      }
      if (!mark) {
        markNanos = System.nanoTime();
      }
      mark = true;
      changedSinceAsked = true;
      marked.signalAll();
      startThread = !running;
      running = true;
    } finally {
      lock.unlock();
    }
    if (startThread) {
      startThread();
    }
  }

  /** The thread inherits nothing from the one that happens to change a recording. */
  private void startThread() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group != null && group.getParent() != null) {
      group = group.getParent();
    }
    Thread thread = new Thread(group, new Watch(), "stackweave-control", 0, false);
    thread.setDaemon(true);
    thread.setContextClassLoader(null);
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      // No thread to be had: the next change tries again.
      lock.lock();
      try {
        running = false;
      } finally {
        lock.unlock();
      }
    }
  }

  /** Waits for a mark; false when the thread shall end. */
  private boolean takeMark() {
    lock.lock();
    try {
      long left = IDLE_MILLIS * 1_000_000L;
      while (!mark && !closed && left > 0) {
        try {
          left = marked.awaitNanos(left);
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
    } finally {
      lock.unlock();
    }
  }

  private long changedNanos() {
    lock.lock();
    try {
      return markNanos;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Notes when samples were first asked for, before anything else is done for them: what the
   * process uses from here on is CPU time that samples may be missing for.
   */
  private boolean ask() {
    lock.lock();
    changedSinceAsked = false;
    lock.unlock();
    if (rule.decide(running(), eventTypeId) == null) {
      asked = null;
      return false;
    }
    if (asked == null) {
      asked = askedAtLastChange();
    }
    return true;
  }

  private AskedAt askedAtLastChange() {
    return new AskedAt(changedNanos(), ProcessCpu.nanos());
  }

  private void look() {
    List<SamplingRule.Facts> running = running();
    if (!running.isEmpty() && eventTypeId < 0) {
      FlightRecorder.register(NativeSample.class);
      eventTypeId = EventType.getEventType(NativeSample.class).getId();
      SettingChange.setReceiver(new Signal());
      // A type registers itself when it is first touched; not again after an earlier detach.
      FlightRecorder.register(SettingsWatch.class);
      FlightRecorder.addPeriodicEvent(SettingsWatch.class, poll);
    }
    enableWhereLeftOpen();
    List<String> notes = new ArrayList<>();
    SamplingRequest request = rule.decide(running(), eventTypeId, notes);
    if (!Objects.equals(request, told)) {
      AskedAt at = told == null && asked != null ? asked : askedAtLastChange();
      told = request;
      asked = null;
      listener.onRequest(request, at);
    }
    if (!notes.equals(toldNotes)) {
      toldNotes = List.copyOf(notes);
      listener.onNotes(toldNotes);
    }
  }

  /** See {@link SamplingRule#leavesEnabledOpen}: completes the recording's settings. */
  private void enableWhereLeftOpen() {
    for (Recording recording : FlightRecorder.getFlightRecorder().getRecordings()) {
      if (recording.getState() == RecordingState.RUNNING
          && rule.leavesEnabledOpen(factsOf(recording), eventTypeId)) {
        try {
          recording.enable(NativeSample.NAME);
        } catch (IllegalStateException e) {
          continue; // stopped meanwhile, so it asks for nothing
        }
      }
    }
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
    // All that JFR is asked for takes its lock, which is held where settings change: so never under
    // ours, which is waited for there.
    long id = recording.getId();
    String name = recording.getName();
    return new SamplingRule.Facts(
        name,
        !name.equals(Long.toString(id)),
        recording.getDestination() != null,
        isStartedByCommand(id),
        recording.isToDisk(),
        recording.getSettings());
  }

  private boolean isStartedByCommand(long id) {
    lock.lock();
    try {
      return startedByCommand.contains(id);
    } finally {
      lock.unlock();
    }
  }

  /** Classes instead of lambdas: bootstrapping those would cost premain some milliseconds. */
  private final class Watch implements Runnable, StartGate.Recordings {
    @Override
    public boolean areRunning() {
      return !running().isEmpty();
    }

    @Override
    public boolean ask() {
      return SamplingControl.this.ask();
    }

    @Override
    public boolean haveChanged() {
      lock.lock();
      try {
        return changedSinceAsked;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void run() {
      while (takeMark()) {
        try {
          if (told == null) {
            SamplingControl.this.ask(); // what follows takes its time
          }
          if ((gate == null || gate.await(this)) && !isClosed()) {
            look();
          }
        } catch (Throwable e) {
          // A recording closed under our eyes, or JFR shutting down: the change that did it is
          // followed by a mark of its own. And whatever it is, it must neither reach the
          // application's handler of uncaught exceptions nor end the watch.
          continue;
        }
      }
    }
  }

  /** On JFR's periodic thread: whether there is something to look at. */
  private final class Poll implements Runnable {
    @Override
    public void run() {
      List<SamplingRule.Facts> running = running();
      if (!Objects.equals(rule.decide(running, eventTypeId), told)
          || anyLeavesEnabledOpen(running)) {
        signal();
      }
    }

    private boolean anyLeavesEnabledOpen(List<SamplingRule.Facts> running) {
      for (SamplingRule.Facts facts : running) {
        if (rule.leavesEnabledOpen(facts, eventTypeId)) {
          return true;
        }
      }
      return false;
    }
  }

  private final class Signal implements Runnable {
    @Override
    public void run() {
      signal();
    }
  }

  private final class RecorderListener implements FlightRecorderListener {
    @Override
    public void recorderInitialized(FlightRecorder recorder) {
      signal();
    }

    @Override
    public void recordingStateChanged(Recording recording) {
      if (recording.getState() == RecordingState.RUNNING && isStartedByCommand()) {
        remember(recording.getId());
      }
      if (recording.getState() == RecordingState.CLOSED) {
        forget(recording.getId());
      }
      signal();
    }

    private void remember(long id) {
      lock.lock();
      try {
        startedByCommand.add(id);
      } finally {
        lock.unlock();
      }
    }

    private void forget(long id) {
      lock.lock();
      try {
        startedByCommand.remove(id);
      } finally {
        lock.unlock();
      }
    }

    /**
     * Whether JFR.start or -XX:StartFlightRecording is calling: without a name and a file name they
     * leave no other trace in the recording. A delayed start comes from a timer and must be told by
     * name or file.
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
