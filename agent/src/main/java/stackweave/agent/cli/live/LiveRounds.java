package stackweave.agent.cli.live;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Plain;
import stackweave.agent.cli.process.TargetJvm;
import stackweave.agent.cli.record.RecordingRounds;
import stackweave.agent.cli.record.RemoteRecording;
import stackweave.jfr.read.RecordingException;

/**
 * Records a JVM in rounds of some seconds until Ctrl-C or the program's end, and gives what each
 * round has that the one before had not, as a file in a temporary directory of the user's alone. If
 * this process dies, nothing samples any more within a minute. Not thread-safe.
 */
public final class LiveRounds {
  /** The shortest and longest round that is allowed, in ms. */
  public static final long MIN_MILLIS = 1_000;

  public static final long MAX_MILLIS = 30_000;

  /** With the longest round, a minute after this process has died nothing samples any more. */
  private static final long GRACE_MILLIS = 30_000;

  /** Of one round, on the target's disk. */
  private static final long MAX_ROUND_BYTES = 64L << 20;

  /** JFR drops whole chunks, so some more may be there; the size is the target's to choose. */
  private static final long MAX_COPIED_BYTES = 4 * MAX_ROUND_BYTES;

  /** Disk space that is left free: the size of recordings is the target's to choose. */
  private static final long KEPT_FREE = 64L << 20;

  /** No configuration of JFR's: the recordings have our events only. */
  private static final String NO_OTHER_EVENTS = "none";

  private final String prefix;
  private final long everyMillis;
  private final long totalMillis;
  private final Map<String, String> settings;
  private final NewChunks chunks = new NewChunks();
  private Path directory;
  private String obstacle = "";
  private long rounds;

  /** Takes what was recorded. */
  public interface Taker {
    /**
     * A round's new chunks.
     *
     * @param recording a file that is the taker's, and is deleted with the directory at the latest
     */
    void take(Path recording) throws FailedException;

    /** A round that can't be read, and why. */
    void lose(String why);
  }

  /**
   * @param command whose directories these are: its name begins theirs
   * @param everyMillis length of a round
   * @param totalMillis how long all rounds are together
   * @param settings of events, by event, '#' and setting
   */
  public LiveRounds(
      String command, long everyMillis, long totalMillis, Map<String, String> settings) {
    this.prefix = "stackweave-" + command + "-";
    this.everyMillis = everyMillis;
    this.totalMillis = totalMillis;
    this.settings = settings;
  }

  /**
   * Records until the time is over, the target ends, somebody ends the recording, or Ctrl-C.
   *
   * @param afterwards is run at the end of all, before the directory is deleted
   * @throws FailedException if a recording can't be made, or not be taken
   */
  public void run(TargetJvm jvm, Taker taker, Runnable afterwards) throws FailedException {
    RemoteRecording.Request request =
        new RemoteRecording.Request(
            NO_OTHER_EVENTS, settings, everyMillis, GRACE_MILLIS, MAX_ROUND_BYTES);
    makeDirectory();
    new RecordingRounds(request, totalMillis, millis -> {})
        .run(
            jvm,
            (recording, end, start, last) -> {
              take(recording, taker);
              say(recording, end);
            },
            () -> {
              afterwards.run();
              delete(directory);
            });
  }

  private void makeDirectory() throws FailedException {
    long own = ProcessHandle.current().pid();
    try {
      directory = Files.createTempDirectory(prefix + own + "-"); // the user's alone
      deleteOthers(directory.getParent());
    } catch (IOException e) {
      throw new FailedException("can't make a temporary directory: " + FailedException.reason(e));
    }
  }

  /** Deletes what commands left that were killed: the user's own, of processes that are no more. */
  private void deleteOthers(Path temporary) throws IOException {
    Pattern left = Pattern.compile(prefix + "(\\d{1,9})-\\d+");
    Object self = Files.getOwner(directory);
    try (DirectoryStream<Path> found = Files.newDirectoryStream(temporary, prefix + "*")) {
      for (Path other : found) {
        Matcher name = left.matcher(other.getFileName().toString());
        if (name.matches()
            && Files.isDirectory(other, LinkOption.NOFOLLOW_LINKS)
            && Files.getOwner(other, LinkOption.NOFOLLOW_LINKS).equals(self)
            && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()) {
          delete(other);
        }
      }
    }
  }

  private void take(RemoteRecording recording, Taker taker) throws FailedException {
    if (!recording.obstacle().equals(obstacle)) {
      obstacle = recording.obstacle();
      if (!obstacle.isEmpty()) {
        System.err.println("stackweave: no samples are taken: " + Plain.line(obstacle));
      }
    }
    try {
      if (Files.notExists(directory)) {
        makeDirectory(); // somebody has cleaned up
      }
      long size = recording.size();
      if (size > MAX_COPIED_BYTES) {
        throw new FailedException(
            "the program's recording has "
                + size
                + " bytes, and was limited to "
                + MAX_ROUND_BYTES);
      }
      // Twice, for the part that is new.
      if (Files.getFileStore(directory).getUsableSpace() - 2 * size < KEPT_FREE) {
        throw new FailedException(
            "no space left for " + size + " bytes in " + directory + ", of which 64 MiB stay free");
      }
      Path file = directory.resolve(rounds++ + ".jfr");
      try (OutputStream out = Files.newOutputStream(file)) {
        recording.copy(out, size);
      }
      Path fresh = directory.resolve(file.getFileName() + ".new");
      try {
        if (chunks.copy(file, fresh) > 0) {
          taker.take(fresh);
        } else {
          Files.delete(fresh);
        }
      } catch (RecordingException e) {
        taker.lose(FailedException.worded(e));
      }
      Files.delete(file);
    } catch (IOException e) {
      throw new FailedException(
          "can't copy a recording to " + directory + ": " + FailedException.reason(e));
    }
  }

  private static void say(RemoteRecording recording, RemoteRecording.End end) {
    String why =
        switch (end) {
          case ASKED ->
              recording.shortage().isEmpty()
                  ? ""
                  : "ended the recording, for " + Plain.line(recording.shortage());
          case PROGRAM -> "the program ended";
          case KILLED -> "the program was killed or crashed";
          case UNWRITTEN -> Plain.line(recording.whyUnwritten());
          case OUTSIDE -> "the recording was ended from outside (detach, or jcmd JFR.stop)";
        };
    if (!why.isEmpty()) {
      System.err.println("stackweave: " + why);
    }
  }

  private static void delete(Path directory) {
    if (Files.notExists(directory)) {
      return;
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      System.err.println("stackweave: " + directory + " is left: " + e.getMessage());
    }
  }
}
