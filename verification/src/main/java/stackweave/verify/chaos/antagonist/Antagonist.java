package stackweave.verify.chaos.antagonist;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import stackweave.verify.chaos.work.Tally;
import stackweave.verify.chaos.work.Time;

/**
 * Something that hurts a profiler. It lives in two JVMs: the parent asks for what the forked JVM
 * needs, the forked JVM runs it.
 */
public interface Antagonist {

  /** What of a profiler it goes for, for the table. */
  String targets();

  /** What it counts, in the order of {@link Tally}'s numbers, in the plural. */
  List<String> counts();

  /** Whether this JDK has what it needs. */
  default boolean isFor(int feature) {
    return true;
  }

  /**
   * Options that the forked JVM needs.
   *
   * @param directory of the run, for files
   */
  default List<String> jvmOptions(Path directory) throws IOException {
    return List.of();
  }

  /** A command that runs the JVM, whose command line is appended; empty for none. */
  default List<String> launcher() {
    return List.of();
  }

  /** Options of the agent; empty for none. */
  default String agentOptions(Path directory) {
    return "";
  }

  /** What a recording is to ask for, where {@code engine} is to sample. */
  default String engineAsked(String engine) {
    return engine;
  }

  /** Whether it runs where this engine is to sample. */
  default boolean isFor(String engine) {
    return true;
  }

  /** Settings of the recording, as in {@code +event#name=value}. */
  default List<String> settings() {
    return List.of();
  }

  /** JFR events that are counted in the recordings as its doing, beside {@link #counts}. */
  default List<String> countedEvents() {
    return List.of();
  }

  /** CPU time between two samples; null for that of the whole run. */
  default String interval() {
    return null;
  }

  /** Whether it makes the recordings itself; else there is one from the JVM's start to its end. */
  default boolean records() {
    return false;
  }

  /**
   * Does its work until the time is over; in the forked JVM, on a thread of its own.
   *
   * @throws Exception if what it works with came to a wrong result: the run has failed then
   */
  void run(Time time, Tally tally) throws Exception;
}
