package stackweave.agent.cli.record;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.Set;
import java.util.function.BooleanSupplier;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.Waiting;
import stackweave.jfr.weave.format.EventCopy;
import stackweave.jfr.weave.format.JvmClock;
import stackweave.linux.Descriptor;

/**
 * A recording whose samples this process writes into a file of its own, beside one of JFR's events
 * in the JVM. Made by {@link OutsideRecorder}.
 */
final class OutsideRecording implements RoundRecording {
  private final OutsideRecorder recorder;

  /** Null if JFR's own events are not recorded. */
  private final RemoteRecording events;

  /** Whether they are not lost, after {@link #finish}. */
  private boolean hasEvents;

  private final Descriptor samples;
  private long startMillis = System.currentTimeMillis();
  private long startNanos = System.nanoTime();

  /** When {@link #finish} began, if it has. */
  private long endNanos;

  private boolean isEnding;
  private String obstacle = "";

  /** How long samples were taken, until it was completed. */
  private long sampledNanos;

  /** Whether the program ended before this recording. */
  private boolean hasProgramEnded;

  /** Whether the process ran another program then. */
  private boolean runsAnother;

  /** Why it was stopped then, to follow its name; empty if it was not. */
  private String stopped = "";

  /**
   * @param events JFR's own; null if they are not recorded; closed with this
   * @param samples the file with the samples, without a name; closed with this
   */
  OutsideRecording(OutsideRecorder recorder, RemoteRecording events, Descriptor samples) {
    this.recorder = recorder;
    this.events = events;
    this.samples = samples;
  }

  @Override
  public void awaitSampling(BooleanSupplier cancelled) {
    Waiting.until(
        () -> recorder.session().hasStarted() || cancelled.getAsBoolean() || isOver(),
        START_NANOS,
        PAUSE_MILLIS);
    obstacle = recorder.session().obstacle();
    startMillis = System.currentTimeMillis();
    startNanos = System.nanoTime();
  }

  @Override
  public String obstacle() {
    return obstacle;
  }

  @Override
  public String soFar() {
    return recorder.session().soFar();
  }

  @Override
  public void watchRoom() {
    if (events != null) {
      events.watchRoom();
    }
  }

  @Override
  public String shortage() {
    return events == null ? "" : events.shortage();
  }

  @Override
  public boolean isOver() {
    return !isTargetAlive() || !recorder.endReason().isEmpty() || events != null && events.isOver();
  }

  @Override
  public boolean isTargetAlive() {
    return recorder.process().isAlive();
  }

  @Override
  public long startMillis() {
    return startMillis;
  }

  @Override
  public long nanos() {
    return (isEnding ? endNanos : System.nanoTime()) - startNanos;
  }

  @Override
  public long spanNanos() {
    return sampledNanos;
  }

  @Override
  public void finish() {
    endNanos = System.nanoTime();
    isEnding = true;
    runsAnother = recorder.process().runsAnother();
    hasProgramEnded = !isTargetAlive();
    stopped = recorder.process().whyStopped();
    recorder.complete(samples);
    sampledNanos = System.nanoTime() - startNanos;
    if (events == null) {
      return;
    }
    String lost = "";
    try {
      if (stopped.isEmpty()) {
        events.readClock();
      }
      events.finish();
      if (!events.isReadable()) {
        lost = "the JVM did not write all of its recording; its log says why";
      }
    } catch (FailedException e) {
      lost = events.loss().isEmpty() ? FailedException.worded(e) : "";
    }
    hasEvents = events.isReadable();
    if (!lost.isEmpty()) {
      OutsideRecorder.sayWithoutEvents(lost);
    }
  }

  @Override
  public String ending(String after) {
    if (runsAnother) {
      return "the process began another program (exec)" + after;
    }
    String ofEvents = events == null ? "" : events.ending(after);
    if (!ofEvents.isEmpty()) {
      return ofEvents;
    }
    if (hasProgramEnded) {
      return "the program ended" + after;
    }
    if (!stopped.isEmpty()) {
      return RemoteRecording.suspended(after, stopped);
    }
    String why = recorder.endReason();
    return why.isEmpty() ? "" : "ended the recording" + after + ": " + why;
  }

  @Override
  public String saved() {
    if (events == null || !events.hasLostTheEnd()) {
      return "what was recorded until then";
    }
    return hasEvents
        ? "its samples, and of JFR's own events " + events.saved()
        : "its samples alone: " + events.loss();
  }

  @Override
  public boolean isReadable() {
    return true;
  }

  @Override
  public long size() throws IOException {
    return Files.size(samples.path()) + (hasEvents ? events.size() : 0);
  }

  @Override
  public void copy(OutputStream out) throws IOException {
    if (!hasEvents) {
      Files.copy(samples.path(), out);
      return;
    }
    events.copy(out);
    EventCopy.copy(samples.path(), new JvmClock(events.headers()), out);
  }

  @Override
  public int copyNew(Set<Long> known, OutputStream out) throws IOException {
    copy(out); // no other round has the samples
    return 1;
  }

  @Override
  public String keep() throws IOException {
    String ofEvents = hasEvents ? ", and JFR's own events as " + events.keep() : "";
    return Output.keep(samples, OutsideRecorder.temporary()) + ofEvents;
  }

  @Override
  public String report() {
    return recorder.report();
  }

  @Override
  public boolean keepsReport() {
    return true;
  }

  @Override
  public void discard() {
    if (events != null) {
      events.discard();
    }
    samples.close();
  }

  @Override
  public void close() {
    if (events != null) {
      events.close();
    }
    samples.close();
  }
}
