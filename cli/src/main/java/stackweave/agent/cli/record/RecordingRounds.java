package stackweave.agent.cli.record;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Messages;
import stackweave.agent.cli.process.TargetJvm;

/**
 * Recordings of a JVM, one after the other: each begins before the one before it ends, so that no
 * sample is missing. What was recorded while two ran is in both, as a chunk that they share. Ctrl-C
 * ends the last one early. Used by {@code record} and {@code relay}, on one thread.
 */
public final class RecordingRounds {
  /** Takes what a round recorded, before the recording is removed from the target. */
  public interface Taker {
    /**
     * A recording that has ended.
     *
     * @param isLast whether none comes after it
     */
    void take(RemoteRecording recording, boolean isLast) throws FailedException;
  }

  /** How often the target's end is checked for. */
  private static final long LOOK_MILLIS = 100;

  /** How long Ctrl-C waits for the recording to be written and copied. */
  private static final long MAX_END_MINUTES = 30;

  private final RemoteRecording.Request request;
  private final long totalMillis;
  private final LongConsumer progress;
  private final CountDownLatch interrupted = new CountDownLatch(1);
  private final CountDownLatch finished = new CountDownLatch(1);
  private long startNanos;

  /**
   * @param request of each round
   * @param totalMillis how long all rounds are together
   * @param progress is told from time to time how long all have taken, in ms
   */
  public RecordingRounds(RemoteRecording.Request request, long totalMillis, LongConsumer progress) {
    this.request = request;
    this.totalMillis = totalMillis;
    this.progress = progress;
  }

  /**
   * Records until the time is over, the target ends, somebody ends the recording, JFR has little
   * room left, or Ctrl-C.
   *
   * @param afterwards is run at the end of all, whatever it was; Ctrl-C waits for it
   * @throws FailedException if a recording can't be made, or not be taken
   */
  public void run(TargetJvm jvm, Taker taker, Runnable afterwards) throws FailedException {
    Runtime.getRuntime().addShutdownHook(new Thread(this::interrupt));
    try {
      rounds(jvm, taker);
    } catch (FailedException e) {
      if (!isInterrupted()) {
        throw e;
      }
      Messages.say(FailedException.worded(e)); // the JVM may have ended before the caller could
    } finally {
      try {
        afterwards.run();
      } finally {
        finished.countDown();
      }
    }
  }

  private void rounds(TargetJvm jvm, Taker taker) throws FailedException {
    RemoteRecording first = begin(jvm);
    // Of the first round the time until sampling began is not counted.
    startNanos = System.nanoTime();
    long roundNanos = startNanos;
    for (RemoteRecording current = first; current != null; ) {
      RemoteRecording next = null;
      boolean isTaken = false;
      try (RemoteRecording recording = current) {
        awaitEnd(recording, roundNanos);
        roundNanos = System.nanoTime();
        FailedException failure = null;
        if (!isLast(recording)) {
          try {
            next = begin(jvm);
          } catch (FailedException e) {
            // If the JVM has ended, this round says so.
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

  private RemoteRecording begin(TargetJvm jvm) throws FailedException {
    RemoteRecording recording = RemoteRecording.start(jvm, request);
    try {
      recording.awaitSampling(this::isInterrupted);
    } catch (FailedException e) {
      if (!recording.isOverSoon()) {
        recording.discard();
        throw e;
      }
      // The JVM has ended and does not answer; what it recorded until then is kept.
    }
    return recording;
  }

  private boolean isLast(RemoteRecording recording) {
    return isInterrupted()
        || !recording.shortage().isEmpty()
        || passedMillis() >= totalMillis
        || recording.isOver() && !hasEndedByItself(recording);
  }

  /** This process was stopped, or busy with the round before, for longer than JFR waits. */
  private boolean hasEndedByItself(RemoteRecording recording) {
    return recording.nanos() / 1_000_000 >= request.longestMillis() && recording.isTargetAlive();
  }

  /** Whether Ctrl-C was pressed. */
  private boolean isInterrupted() {
    return interrupted.getCount() == 0;
  }

  private long passedMillis() {
    return (System.nanoTime() - startNanos) / 1_000_000;
  }

  /** Waits until the round has passed, or has to end before. */
  private void awaitEnd(RemoteRecording recording, long roundNanos) {
    long roundEnd = (roundNanos - startNanos) / 1_000_000 + request.durationMillis();
    long end = Math.min(roundEnd, totalMillis);
    try {
      for (long left = end - passedMillis(); left > 0; left = end - passedMillis()) {
        progress.accept(passedMillis());
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
    interrupted.countDown();
    try {
      finished.await(MAX_END_MINUTES, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
