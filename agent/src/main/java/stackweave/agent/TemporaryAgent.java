package stackweave.agent;

import java.util.ArrayList;
import java.util.List;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import stackweave.agent.attach.RecordName;
import stackweave.linux.DaemonThread;

/**
 * Watches the recordings of the command {@code record} for an agent that was attached for them only
 * and must detach with the last of them ({@link
 * stackweave.agent.attach.Order.Kind#START_TEMPORARY}). Each of them has a duration, so the agent
 * does not stay because the command was killed. Used by {@link Agent} under its lock; listener
 * calls come on any thread.
 */
final class TemporaryAgent implements FlightRecorderListener {
  private final Runnable onEnd;

  private TemporaryAgent(Runnable onEnd) {
    this.onEnd = onEnd;
  }

  /**
   * Starts watching. Recordings that have ended already are reported, too.
   *
   * @param onEnd called on a new thread for each recording that ends; throws nothing
   */
  static TemporaryAgent begin(Runnable onEnd) {
    TemporaryAgent temporary = new TemporaryAgent(onEnd);
    FlightRecorder.addListener(temporary);
    if (!isAnyRunning()) {
      temporary.startLeaving();
    }
    return temporary;
  }

  /** Stops watching. */
  void end() {
    FlightRecorder.removeListener(this);
  }

  /**
   * Called on the thread that ends a recording, possibly under JFR's lock: only starts a thread.
   */
  @Override
  public void recordingStateChanged(Recording recording) {
    RecordingState state = recording.getState();
    if ((state == RecordingState.STOPPED || state == RecordingState.CLOSED)
        && RecordName.isRecord(recording.getName())) {
      startLeaving();
    }
  }

  private void startLeaving() {
    try {
      DaemonThread.of("stackweave-leave", onEnd).start();
    } catch (OutOfMemoryError e) {
      // No thread can be started, and the caller is the application's: the next recording's end
      // tries again, and the command detach works in any case.
      return;
    }
  }

  /** Whether a recording of this name is running. */
  static boolean isRunning(String name) {
    for (Recording recording : running()) { // no lambda: the heap may be full
      if (recording.getName().equals(name)) {
        return true;
      }
    }
    return false;
  }

  /** Whether any recording of the command record is running. */
  static boolean isAnyRunning() {
    return !running().isEmpty();
  }

  /**
   * Stops the running recordings of the command record; JFR writes each to its file.
   *
   * @return how many were stopped
   */
  static int stopAll() {
    int stopped = 0;
    for (Recording recording : running()) {
      try {
        recording.stop();
        stopped++;
      } catch (IllegalStateException e) {
        continue; // it ended by itself
      }
    }
    return stopped;
  }

  private static List<Recording> running() {
    List<Recording> running = new ArrayList<>();
    if (FlightRecorder.isInitialized()) {
      for (Recording recording : FlightRecorder.getFlightRecorder().getRecordings()) {
        if (recording.getState() == RecordingState.RUNNING
            && RecordName.isRecord(recording.getName())) {
          running.add(recording);
        }
      }
    }
    return running;
  }
}
