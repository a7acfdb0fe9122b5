package stackweave.agent;

import java.util.ArrayList;
import java.util.List;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import stackweave.agent.attach.RecordName;

/**
 * Says when a recording of the command {@code record} has ended, for an agent that came for such
 * recordings and is to leave with the last of them. Each of them ends after a time by itself, so an
 * agent does not stay for a command that was killed.
 */
final class Visit implements FlightRecorderListener {
  private final Runnable onEnd;

  private Visit(Runnable onEnd) {
    this.onEnd = onEnd;
  }

  /**
   * Begins to watch; recordings that have ended by now are told of, too.
   *
   * @param onEnd called on a thread of its own for each recording that ends
   */
  static Visit begin(Runnable onEnd) {
    Visit visit = new Visit(onEnd);
    FlightRecorder.addListener(visit);
    if (!isAnyRunning()) {
      visit.tell();
    }
    return visit;
  }

  /** Ends watching. */
  void end() {
    FlightRecorder.removeListener(this);
  }

  /** On the thread that ends a recording, maybe under JFR's lock: nothing is done here. */
  @Override
  public void recordingStateChanged(Recording recording) {
    RecordingState state = recording.getState();
    if ((state == RecordingState.STOPPED || state == RecordingState.CLOSED)
        && RecordName.isRecord(recording.getName())) {
      tell();
    }
  }

  private void tell() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group != null && group.getParent() != null) {
      group = group.getParent();
    }
    Thread thread = new Thread(group, new Leave(onEnd), "stackweave-leave", 0, false);
    thread.setDaemon(true);
    thread.setContextClassLoader(null);
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      // No thread to be had, and the caller is the application's: the next recording's end tries
      // again, and detach ends it in any case.
      return;
    }
  }

  /** What it throws is ours to bear: the application's handler of uncaught exceptions may exit. */
  private record Leave(Runnable onEnd) implements Runnable {
    @Override
    public void run() {
      try {
        onEnd.run();
      } catch (Throwable e) {
        return; // the agent stays, and detach is left
      }
    }
  }

  /** Whether a recording of this name is being made. */
  static boolean isRunning(String name) {
    for (Recording recording : running()) { // no lambda: the heap may be full
      if (recording.getName().equals(name)) {
        return true;
      }
    }
    return false;
  }

  /** Whether any recording of the command line is being made. */
  static boolean isAnyRunning() {
    return !running().isEmpty();
  }

  /**
   * Ends those that are being made; each is written to its file.
   *
   * @return how many
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
