package stackweave.agent.cli.record;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.LastSignal;

/**
 * Recordings of a JVM, one after the other: each begins before the one before it ends, so that no
 * sample is missing. Both have what was recorded while two ran, as a common chunk. Ctrl-C ends the
 * last one early; the second time it ends the command. Used by {@code record} and {@code relay}, on
 * one thread.
 */
public final class RecordingRounds {
  /** Receives the recording of a round before it is removed from the target. */
  public interface Taker {
    /**
     * A recording that has ended.
     *
     * @param isLast whether it is the last one
     */
    void take(RoundRecording recording, boolean isLast) throws FailedException;
  }

  /** Is told how far it is. */
  public interface Progress {
    /**
     * Called from time to time while it records.
     *
     * @param millis the time so far
     * @param recording the one that is being made
     */
    void show(long millis, RoundRecording recording);
  }

  /** How often the target's end is checked for. */
  private static final long LOOK_MILLIS = 100;

  private final RemoteRecording.Request request;
  private final long totalMillis;
  private final Progress progress;
  private final CountDownLatch interrupted = new CountDownLatch(1);
  private final CountDownLatch finished = new CountDownLatch(1);
  private long startNanos;

  /**
   * @param request the request of each round
   * @param totalMillis length of all rounds together
   * @param progress called on the thread of {@link #run(Recorder, Taker, Runnable)}
   */
  public RecordingRounds(RemoteRecording.Request request, long totalMillis, Progress progress) {
    this.request = request;
    this.totalMillis = totalMillis;
    this.progress = progress;
  }

  /**
   * Records until the time is over, the target or the recording is ended, JFR has little room left,
   * or Ctrl-C.
   *
   * @param afterwards run at the end in any case; Ctrl-C waits for it
   * @throws FailedException if a recording can't be made or delivered
   */
  public void run(Recorder recorder, Taker taker, Runnable afterwards) throws FailedException {
    Thread atExit = new Thread(this::interrupt);
    Runtime.getRuntime().addShutdownHook(atExit);
    try {
      run(recorder, taker);
    } finally {
      try {
        afterwards.run();
      } finally {
        finished.countDown();
        forget(atExit);
      }
    }
  }

  /** The same where the caller sees to Ctrl-C. */
  void run(Recorder recorder, Taker taker) throws FailedException {
    try {
      rounds(recorder, taker);
    } catch (FailedException e) {
      if (!isInterrupted()) {
        throw e;
      }
      // The JVM may have ended before the caller could.
      CommandMessages.say(FailedException.worded(e));
    }
  }

  private static void forget(Thread atExit) {
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      return; // this JVM is ending
    }
  }

  /** Ends the last round early, as Ctrl-C does. Any thread. */
  void end() {
    interrupted.countDown();
  }

  private void rounds(Recorder recorder, Taker taker) throws FailedException {
    RoundRecording first = begin(recorder);
    // The first round begins when sampling has begun.
    startNanos = System.nanoTime();
    long roundNanos = startNanos;
    for (RoundRecording current = first; current != null; ) {
      RoundRecording next = null;
      boolean isTaken = false;
      try (RoundRecording recording = current) {
        awaitEnd(recording, roundNanos);
        roundNanos = System.nanoTime();
        FailedException failure = null;
        if (!isLast(recording)) {
          try {
            next = begin(recorder);
          } catch (FailedException e) {
            // If the JVM has ended, this round reports it.
            failure = recording.isOverSoon() ? null : e;
          }
        }
        recording.finish();
        taker.take(recording, next == null);
        if (failure != null) {
          throw failure;
        }
        isTaken = true;
      } finally {
        if (!isTaken && next != null) {
          next.discard();
        }
      }
      current = next;
    }
  }

  private RoundRecording begin(Recorder recorder) throws FailedException {
    RoundRecording recording = recorder.start(request);
    try {
      recording.awaitSampling(this::isInterrupted);
    } catch (FailedException e) {
      if (!recording.isOverSoon()) {
        recording.discard();
        throw e;
      }
      // The JVM has ended and does not answer; what it has recorded is kept.
    }
    return recording;
  }

  private boolean isLast(RoundRecording recording) {
    return isInterrupted()
        || !recording.shortage().isEmpty()
        || isTimeOver()
        || recording.isOver() && !hasEndedByItself(recording);
  }

  /**
   * Whether the recording ended by itself: this process was suspended, or busy with the previous
   * round, for longer than JFR waits.
   */
  private boolean hasEndedByItself(RoundRecording recording) {
    return recording.nanos() / 1_000_000 >= request.longestMillis() && recording.isTargetAlive();
  }

  /** Whether it is to end, as after Ctrl-C. */
  private boolean isInterrupted() {
    return interrupted.getCount() == 0;
  }

  /** Whether it ended when its time was over. */
  boolean isTimeOver() {
    return passedMillis() >= totalMillis;
  }

  private long passedMillis() {
    return (System.nanoTime() - startNanos) / 1_000_000;
  }

  /** Waits until the round is over, or has to end early. */
  private void awaitEnd(RoundRecording recording, long roundNanos) {
    long roundEnd = (roundNanos - startNanos) / 1_000_000 + request.durationMillis();
    long end = Math.min(roundEnd, totalMillis);
    try {
      for (long left = end - passedMillis(); left > 0; left = end - passedMillis()) {
        progress.show(passedMillis(), recording);
        recording.watchRoom();
        if (interrupted.await(Math.min(left, LOOK_MILLIS), TimeUnit.MILLISECONDS)
            || recording.isOver()
            || !recording.shortage().isEmpty()) {
          break;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Shutdown hook: on Ctrl-C, lets the recording be completed before this JVM exits. */
  private void interrupt() {
    end();
    LastSignal.await(finished);
  }
}
