package stackweave.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.testing.Ended;
import stackweave.testing.RunningCommand;

/** The jar that users submit, on a standalone cluster that loses a worker in the midst. */
class StandaloneIT {
  /** Enough that one task has ended long before the last. */
  private static final int RECORDINGS = 48;

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".*/unfinished/.*/_temporary/0/task_[^/]*", // a task has read its recordings
        ".*/samples/.*/_temporary/.*" // samples are written
      })
  void tablesAreThoseOfAnUndisturbedRun(String moment) throws Exception {
    Path in = directory.resolve("in");
    Path out = directory.resolve("out");
    KeptRecordings.write(in, 0, RECORDINGS);
    SparkCluster cluster = new SparkCluster(directory.resolve("spark"));
    try {
      RunningCommand run = cluster.ingest(in, out);
      Parts.until(() -> Parts.has(out, moment), run);
      cluster.killAWorker();
      Ended ended = run.end().successfully();
      assertTrue(ended.out().contains(RECORDINGS + " recordings read, 0 rejected"), ended.out());
      assertTrue(ended.err().contains("Lost executor"), ended.err());
    } finally {
      cluster.kill();
    }
    Path other = directory.resolve("other");
    new FleetJvm(Parts.jdk(), directory, "local[2]")
        .then(Ingest.class, in, other)
        .run()
        .successfully();
    assertEquals(tables(other), tables(out));
  }

  private static Map<String, List<String>> tables(Path directory) throws Exception {
    try (DuckTables tables = new DuckTables(directory)) {
      tables.assertWhole();
      return tables.all();
    }
  }
}
