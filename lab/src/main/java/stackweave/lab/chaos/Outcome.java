package stackweave.lab.chaos;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The outcome of one run.
 *
 * @param run that was made
 * @param minutes that it took, with the JVM's start and end
 * @param rounds results of the load that were compared
 * @param done what the antagonists did, by names in the plural
 * @param recorded what the recordings say
 * @param said the agent's lines on stderr
 * @param failure null, or what happened that must not happen
 * @param directory with all files of the run
 */
record Outcome(
    ForkedRun run,
    double minutes,
    long rounds,
    Map<String, Long> done,
    Recorded recorded,
    List<String> said,
    String failure,
    Path directory) {

  /** A line for the terminal. */
  String line() {
    return "%s, %s, %s: %s; %d results, %d samples, %.3f %% complete, lost %d, dropped %d, %s%s%s"
        .formatted(
            run.mix(),
            run.jdk(),
            run.engine(),
            done,
            rounds,
            recorded.samples,
            100 * recorded.completeShare(),
            recorded.lost,
            recorded.dropped,
            failure == null ? "ok" : "FAILED: " + failure + " (" + directory + ")",
            said.isEmpty() ? "" : " " + said,
            recorded.notes.isEmpty() ? "" : " " + recorded.notes);
  }
}
