package stackweave.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.testing.Ended;
import stackweave.testing.RunningCommand;

/**
 * Recordings and tables on HDFS: what is promised for it, and the same tables as on {@code file}.
 */
class HdfsIT {
  private static final String OTHER = "another run writes these tables";
  private static final int RECORDINGS = 6;

  /** Several times the minute after which the lease of a killed run is given away. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @TempDir private Path directory;
  private Hdfs hdfs;
  private FileSystem files;
  private String out;

  @BeforeEach
  void start() throws Exception {
    hdfs = new Hdfs(directory.resolve("hdfs"));
    files = hdfs.files();
    out = hdfs.root() + "/tables";
    KeptRecordings.write(directory.resolve("in"), 0, RECORDINGS);
    files.copyFromLocalFile(
        new org.apache.hadoop.fs.Path(directory.resolve("in").toUri()), path("/in"));
  }

  @AfterEach
  void stop() throws Exception {
    files.close();
    hdfs.kill();
  }

  @Test
  void aLockIsHeldUntilItsOwnerEndsAndTablesAreThoseOnFile() throws Exception {
    Path pipe = Parts.pipe(directory.resolve("held"), "pipe.jfr");
    RunningCommand held = ingest(hdfs.root() + "/in", pipe.getParent(), out).start();
    Parts.until(() -> files.exists(path("/tables/unfinished")), held);
    Parts.assertRefused(ingest(hdfs.root() + "/in", out).run(), OTHER);
    held.kill();
    Instant end = Instant.now().plus(PATIENCE);
    Ended next = ingest(hdfs.root() + "/in", out).run();
    while (next.exit() != 0 && Instant.now().isBefore(end)) {
      Parts.assertRefused(next, OTHER);
      next = ingest(hdfs.root() + "/in", out).run();
    }
    next.successfully();
    ingest(hdfs.root() + "/in", out).run().successfully();
    assertEquals(tablesOnFile(), tables());
  }

  @Test
  void startedTogetherBothEndRightOrOneRefuses() throws Exception {
    for (RunningCommand each :
        List.of(
            ingest(hdfs.root() + "/in", out).start(), ingest(hdfs.root() + "/in", out).start())) {
      Ended ended = each.end();
      if (ended.exit() != 0) {
        Parts.assertRefused(ended, OTHER);
      }
    }
    assertEquals(tablesOnFile(), tables());
  }

  @Test
  void aRecordingThatIsStillWrittenIsLeftToTheNextRun() throws Exception {
    try (FSDataOutputStream writing = files.create(path("/in/6-written.jfr"))) {
      writing.write(KeptRecordings.later("orders-17.jfr", Duration.ofDays(1)));
      writing.hflush(); // from now on this is its size
      writing.write(KeptRecordings.later("orders-25.jfr", Duration.ofDays(1)));
      writing.hflush(); // readers see this, too
      String said = ingest(hdfs.root() + "/in", out).run().successfully().out();
      assertTrue(said.contains("6 recordings read, 1 rejected"), said);
      assertTrue(said.contains("changed while it was read"), said);
    }
    String said = ingest(hdfs.root() + "/in", out).run().successfully().out();
    assertTrue(said.contains("1 recordings read, 0 rejected, 6 known"), said);
  }

  @Test
  void whenHdfsIsKilledAndStartedAgainTheRunEndsRightOrChangesNothing() throws Exception {
    RunningCommand run = ingest(hdfs.root() + "/in", out).start();
    Parts.until(() -> files.exists(path("/tables/unfinished")), run);
    hdfs.restart();
    Ended ended = run.end();
    if (ended.exit() != 0) {
      Parts.assertRefused(ended, "");
    }
    Instant end = Instant.now().plus(PATIENCE);
    Ended again = ingest(hdfs.root() + "/in", out).run();
    while (again.exit() != 0 && Instant.now().isBefore(end)) {
      Parts.assertRefused(again, OTHER); // until the lease of the first run is given away
      again = ingest(hdfs.root() + "/in", out).run();
    }
    again.successfully();
    assertEquals(tablesOnFile(), tables());
  }

  private FleetJvm ingest(Object... paths) {
    return new FleetJvm(Parts.jdk(), directory, "local[2]")
        .options("-Dfleet.log=off")
        .then(Ingest.class, paths);
  }

  private org.apache.hadoop.fs.Path path(String path) {
    return new org.apache.hadoop.fs.Path(URI.create(hdfs.root() + path));
  }

  private Map<String, List<String>> tables() throws Exception {
    Path copy = directory.resolve("copy");
    files.copyToLocalFile(
        false, path("/tables"), new org.apache.hadoop.fs.Path(copy.toUri()), true);
    return withoutPlaces(copy, hdfs.root() + "/in");
  }

  private Map<String, List<String>> tablesOnFile() throws Exception {
    Path local = directory.resolve("out");
    ingest(directory.resolve("in"), local).run().successfully();
    return withoutPlaces(local, "file:" + directory.resolve("in"));
  }

  private static Map<String, List<String>> withoutPlaces(Path tables, String in) throws Exception {
    try (DuckTables duck = new DuckTables(tables)) {
      duck.assertWhole();
      Map<String, List<String>> all = duck.all();
      all.replaceAll((table, rows) -> rows.stream().map(row -> row.replace(in, "")).toList());
      return all;
    }
  }
}
