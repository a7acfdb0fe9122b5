package stackweave.agent.cli.live;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.record.Recorder;
import stackweave.agent.cli.record.RecordingRounds;
import stackweave.agent.cli.record.RemoteRecording;
import stackweave.agent.cli.record.RoundRecording;
import stackweave.linux.Descriptor;

/**
 * Records a JVM in rounds of some seconds until Ctrl-C or the program's end, and delivers the new
 * chunks of each round, since samples of shared chunks would count twice. If this process dies,
 * sampling ends within a minute. Not thread-safe.
 */
public final class LiveRounds {
  /** The shortest and longest round that is allowed, in ms. */
  public static final long MIN_MILLIS = 1_000;

  public static final long MAX_MILLIS = 30_000;

  /** With the longest round, sampling ends within a minute after this process has died. */
  private static final long GRACE_MILLIS = 30_000;

  /** Limit of one round on the target's disk. */
  private static final long MAX_ROUND_BYTES = 64L << 20;

  /** JFR drops whole chunks, so it may exceed the limit; the target controls the size. */
  private static final long MAX_COPIED_BYTES = 4 * MAX_ROUND_BYTES;

  /** Disk space that must stay free, since the target controls the size of recordings. */
  private static final long KEPT_FREE = 64L << 20;

  private final RemoteRecording.Request request;
  private final RecordingRounds rounds;
  private final Set<Long> copiedChunks = new HashSet<>();
  private String obstacle = "";

  /** Receives the recordings of rounds. */
  public interface Taker {
    /** A round's new chunks, in a file that the taker closes. */
    void take(Descriptor recording) throws FailedException;

    /** A round could not be read, for this reason. */
    void lose(String why);
  }

  /**
   * @param everyMillis length of a round
   * @param totalMillis length of all rounds together
   * @param settings of events, by event, '#' and setting
   */
  public LiveRounds(long everyMillis, long totalMillis, Map<String, String> settings) {
    request =
        new RemoteRecording.Request(
            RemoteRecording.NO_EVENTS, settings, everyMillis, GRACE_MILLIS, MAX_ROUND_BYTES);
    rounds = new RecordingRounds(request, totalMillis, (millis, recording) -> {});
  }

  /** What each round asks for. */
  public RemoteRecording.Request request() {
    return request;
  }

  /**
   * Records until the time is over, the target or the recording is ended, or Ctrl-C.
   *
   * @param afterwards run at the end
   * @throws FailedException if a recording can't be made or delivered
   */
  public void run(Recorder recorder, Taker taker, Runnable afterwards) throws FailedException {
    rounds.run(
        recorder,
        (recording, last) -> {
          sayObstacle(recording.obstacle());
          take(recording, taker);
          String ending = recording.ending("");
          if (!ending.isEmpty()) {
            CommandMessages.say(ending);
          }
        },
        afterwards);
  }

  private void sayObstacle(String now) {
    if (!now.equals(obstacle) && !now.isEmpty()) {
      CommandMessages.say("no samples are taken: %s", now);
    }
    obstacle = now;
  }

  private void take(RoundRecording recording, Taker taker) throws FailedException {
    Descriptor file = null;
    try {
      long size = recording.size();
      if (size > MAX_COPIED_BYTES) {
        throw new FailedException(
            "the program's recording has %s bytes, and was limited to %s", size, MAX_ROUND_BYTES);
      }
      if (!recording.isReadable()) {
        taker.lose("the program wrote no recording of JFR's");
        return;
      }
      Path directory = Path.of(System.getProperty("java.io.tmpdir"));
      file = Output.temporary(directory);
      if (file.room() - size < KEPT_FREE) {
        throw new FailedException(
            "no space left for %s bytes in %s, of which 64 MiB stay free", size, directory);
      }
      int copied;
      try (OutputStream out = Files.newOutputStream(file.path(), StandardOpenOption.WRITE)) {
        copied = recording.copyNew(copiedChunks, out);
      }
      if (copied > 0) {
        Descriptor taken = file;
        file = null;
        taker.take(taken);
      }
    } catch (IOException e) {
      throw new FailedException("can't copy a recording: " + FailedException.reason(e));
    } finally {
      if (file != null) {
        file.close();
      }
    }
  }
}
