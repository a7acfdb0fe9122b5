package stackweave.lab.chaos.antagonist;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;

/**
 * A load or change that makes work hard for a profiler. An instance exists in each of two JVMs: the
 * parent asks it for options, the forked JVM calls {@link #run}.
 */
public interface Antagonist {

  /** What of a profiler it tests, for the table. */
  String targets();

  /** The names of its counts, in the plural, in the order of {@link Tally}'s numbers. */
  List<String> counts();

  /** Whether it can run on a JDK of this feature version. */
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

  /** The command that runs the JVM, to which the JVM's command line is appended; empty for none. */
  default List<String> launcher() {
    return List.of();
  }

  /** Options of the agent; empty for none. */
  default String agentOptions(Path directory) {
    return "";
  }

  /** The engine that a recording asks for, where {@code engine} is to sample. */
  default String engineAsked(String engine) {
    return engine;
  }

  /** Whether it can run under this engine. */
  default boolean isFor(String engine) {
    return true;
  }

  /** Settings of the recording, as in {@code +event#name=value}. */
  default List<String> settings() {
    return List.of();
  }

  /** Names of JFR events to count in the recordings, in addition to {@link #counts}. */
  default List<String> countedEvents() {
    return List.of();
  }

  /** CPU time between two samples; null for that of the run's settings. */
  default String interval() {
    return null;
  }

  /** Whether it makes the recordings itself; else there is one from the JVM's start to its end. */
  default boolean records() {
    return false;
  }

  /**
   * Works until the time is over; called in the forked JVM, on a thread of its own.
   *
   * @throws Exception if a result is wrong: the run has failed then
   */
  void run(Time time, Tally tally) throws Exception;
}
