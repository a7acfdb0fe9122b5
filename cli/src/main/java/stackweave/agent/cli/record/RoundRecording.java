package stackweave.agent.cli.record;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Set;
import java.util.function.BooleanSupplier;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Waiting;

/**
 * A recording of another JVM that a {@link Recorder} has begun: one round of {@link
 * RecordingRounds}. Not thread-safe.
 */
public interface RoundRecording extends AutoCloseable {
  /** How long to wait for the start of sampling; on a busy machine it takes seconds. */
  long START_NANOS = 20_000_000_000L;

  /** How long a program that is ending may take to exit. */
  long EXIT_NANOS = 1_000_000_000L;

  /** Pause between two looks at what is waited for. */
  int PAUSE_MILLIS = 50;

  /**
   * Waits until sampling has begun, or it is known why it can't.
   *
   * @param cancelled whether to stop waiting
   */
  void awaitSampling(BooleanSupplier cancelled) throws FailedException;

  /** Why sampling did not begin; empty if it did. */
  String obstacle();

  /** Checks now and then how much room JFR has left. */
  void watchRoom();

  /** Why it must end before JFR runs out of room; empty if there is enough. */
  String shortage();

  /**
   * Its samples so far and where most of their time was spent, in a few words; empty if that is not
   * known. An agent in the JVM is not asked: the JVM would spend CPU time on each answer, which the
   * recording would have.
   */
  default String soFar() {
    return "";
  }

  /** Whether it has ended without being stopped by this command. */
  boolean isOver();

  /** As {@link #isOver}, waiting a second for a program that is ending. */
  default boolean isOverSoon() {
    return Waiting.until(this::isOver, EXIT_NANOS, PAUSE_MILLIS);
  }

  /** Whether the process still runs. */
  boolean isTargetAlive();

  /** When it began, in ms since 1970. */
  long startMillis();

  /** The time since its start, in ns; after {@link #finish}, until that began. */
  long nanos();

  /** Its length as it was recorded, in ns; negative if unknown. */
  long spanNanos();

  /**
   * Stops it, or finds out why it has ended; then it can be copied.
   *
   * @throws FailedException if there is nothing to copy
   */
  void finish() throws FailedException;

  /**
   * Why it has ended early, in one sentence for the user; empty if it has not.
   *
   * @param after text after the verb, such as the time that it took
   */
  String ending(String after);

  /** Which part of it was saved, for the user. */
  String saved();

  /** Whether it has chunks; else JFR has not written its file, or not all of it. */
  boolean isReadable();

  /** The bytes that {@link #copy} copies or, if there is no whole recording, those of its file. */
  long size() throws IOException;

  /** Copies the recording, which must be readable. */
  void copy(OutputStream out) throws IOException;

  /**
   * Copies only new chunks: simultaneous recordings of a JVM share some.
   *
   * @param known starts of chunks that were copied; those of new ones are added
   * @return how many were new
   */
  int copyNew(Set<Long> known, OutputStream out) throws IOException;

  /**
   * Leaves what was recorded in a temporary file.
   *
   * @return its path, as text for the user
   * @throws IOException if that can't be written
   */
  String keep() throws IOException;

  /** The sampler's summary of it, one topic a line; empty if none. */
  String report() throws FailedException;

  /** Whether there is a {@link #report} also if the process has ended. */
  boolean keepsReport();

  /** Stops the recording if it still runs, and removes its file. */
  void discard();

  @Override
  void close();
}
