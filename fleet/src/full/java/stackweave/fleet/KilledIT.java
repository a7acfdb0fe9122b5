package stackweave.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.testing.Ended;
import stackweave.testing.RunningCommand;

/**
 * A run of Ingest that is killed: readers see the tables as before or as after it, and the next run
 * makes them what they would be without the kill.
 */
class KilledIT {
  private static final int KILLED = 137;
  private static final int KILLS = 10;

  /** Recordings of the tables at the begin, and those that each killed run would add. */
  private static final int BEFORE = 3;

  private static final int ADDED = 3;

  @TempDir private Path directory;
  private Path in;
  private Path out;

  @Test
  void atEachStep() throws Exception {
    makeTables();
    Map<String, List<String>> before = tables();
    KeptRecordings.write(in, BEFORE, ADDED);
    for (String step :
        List.of(
            "create .*/unfinished/.*part-",
            "rename .*/unfinished/.*/attempt_.*/task_",
            "create .*/unfinished/.*_SUCCESS",
            "create .*/samples/.*part-",
            "rename .*/samples/.*/task_[^ /]*/service=",
            "delete .*/samples/.*/_temporary",
            "create .*/samples/.*_SUCCESS",
            "create .*/stacks/.*part-",
            "create .*/stacks/.*_SUCCESS",
            "create .*/sources/.*part-",
            "create .*/sources/.*_SUCCESS",
            "create .*/rejects/.*part-",
            "delete .*/rejects/.*staging")) {
      assertEquals(String.valueOf(BEFORE), killed(step), "as Spark sees it before " + step);
      assertEquals(before, tables(), step);
    }
    // From here on the manifest is that of the run that is killed.
    killed("delete .*/unfinished/batch=[^/]*$");
    assertEquals(undisturbed(BEFORE + ADDED), tables());
    Ended again = jvm().then(Ingest.class, in, out).run().successfully();
    assertTrue(again.out().contains("0 recordings read"), again.out());
    assertEquals(undisturbed(BEFORE + ADDED), tables());
    try (DuckTables duck = new DuckTables(out)) {
      for (int i = 0; i < KeptRecordings.NAMES.size(); i++) {
        String name = KeptRecordings.NAMES.get(i);
        KeptRecordings.assertSums(duck, name, i + "-" + name);
      }
    }
  }

  @Test
  void atRandomMoments() throws Exception {
    makeTables();
    long seed = System.nanoTime();
    System.out.println("KilledIT: seed " + seed);
    Random random = new Random(seed);
    int count = BEFORE;
    for (int i = 0; i < KILLS; i++) {
      int sources = tables().get("sources").size();
      KeptRecordings.write(in, count++, 1);
      long begun = begunRuns();
      RunningCommand run = jvm().then(Ingest.class, in, out).start();
      Parts.until(() -> begunRuns() > begun, run);
      long end = System.nanoTime() + random.nextInt(6000) * 1_000_000L;
      int seen;
      do { // readers while it runs
        seen = tables().get("sources").size();
        assertTrue(seen == sources || seen == count, seen + " of " + count + ", seed " + seed);
      } while (System.nanoTime() < end);
      run.kill();
      int after = tables().get("sources").size();
      assertTrue(after == seen || after == count, after + " of " + count + ", seed " + seed);
    }
    jvm().then(Ingest.class, in, out).run().successfully();
    assertEquals(undisturbed(count), tables(), "seed " + seed);
  }

  /** Runs that have begun to read, and did not end. */
  private long begunRuns() throws IOException {
    Path unfinished = out.resolve("unfinished");
    if (!Files.exists(unfinished)) {
      return 0;
    }
    try (Stream<Path> runs = Files.list(unfinished)) {
      return runs.count();
    }
  }

  private void makeTables() throws Exception {
    in = directory.resolve("in");
    out = directory.resolve("out");
    KeptRecordings.write(in, 0, BEFORE);
    jvm().then(Ingest.class, in, out).run().successfully();
  }

  /** Counts recordings by Spark SQL, then starts a run that is killed at a step. */
  private String killed(String step) throws Exception {
    Ended ended =
        jvm()
            .options(
                "-Dspark.hadoop.fs.file.impl=" + KillingFileSystem.class.getName(),
                "-Dkilled.at=" + step)
            .then(Query.class, out, "SELECT count(*) AS n FROM sources")
            .then(Ingest.class, in, out)
            .run();
    assertEquals(KILLED, ended.exit(), step + ended.out() + ended.err());
    return ended.outLines().get(1).strip();
  }

  private FleetJvm jvm() {
    return new FleetJvm(Parts.jdk(), directory, "local[2]");
  }

  private Map<String, List<String>> tables() throws Exception {
    try (DuckTables tables = new DuckTables(out)) {
      tables.assertWhole();
      return tables.all();
    }
  }

  /** The tables of a run over the same recordings that nobody killed. */
  private Map<String, List<String>> undisturbed(int recordings) throws Exception {
    Path other = directory.resolve("undisturbed");
    if (!Files.exists(other)) {
      jvm().then(Ingest.class, in, other).run().successfully();
    }
    try (DuckTables tables = new DuckTables(other)) {
      assertEquals(recordings, tables.all().get("sources").size());
      return tables.all();
    }
  }
}
