package stackweave.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.testing.Ended;
import stackweave.testing.RunningCommand;

/** Two runs of Ingest at once on the same tables: one refuses, or both end right. */
class TwoRunsIT {
  private static final String OTHER = "another run writes these tables";
  private static final int RECORDINGS = 3;

  @TempDir private Path directory;

  @Test
  void inTwoJvmsTheSecondRefuses() throws Exception {
    Path pipe = Parts.pipe(directory.resolve("held"), "pipe.jfr");
    Path in = directory.resolve("in");
    Path out = directory.resolve("out");
    KeptRecordings.write(in, 0, RECORDINGS);
    RunningCommand first = ingest(in, pipe.getParent(), out).start();
    Parts.until(() -> Files.exists(out.resolve("unfinished")), first);
    Parts.assertRefused(ingest(in, out).run(), OTHER);
    Files.write(pipe, new byte[1]);
    String said = first.end().successfully().out();
    assertTrue(said.contains(RECORDINGS + " recordings read, 1 rejected"), said);
    assertSources(out);
  }

  @Test
  void inOneJvmTheSecondRefusesAndTheFirstKeepsTheLock() throws Exception {
    Path pipe = Parts.pipe(directory.resolve("held"), "pipe.jfr");
    Path in = directory.resolve("in");
    Path out = directory.resolve("out");
    KeptRecordings.write(in, 0, RECORDINGS);
    RunningCommand two = jvm().start(TwoRunsIT.class, in, pipe.getParent(), out);
    Parts.until(() -> Files.readString(two.out()).contains("second: 2"), two);
    Parts.assertRefused(ingest(in, out).run(), OTHER);
    Files.write(pipe, new byte[1]);
    Ended ended = two.end().successfully();
    assertTrue(ended.out().contains("first: 0"), ended.out() + ended.err());
    assertTrue(ended.err().contains(OTHER), ended.err());
    assertSources(out);
  }

  /** In the JVM of that test: a run that waits for the pipe, and another. */
  public static void main(String[] paths) throws Exception {
    Path out = Path.of(paths[2]);
    Thread first =
        new Thread(() -> System.out.println("first: " + FleetCommand.execute(new Ingest(), paths)));
    first.start();
    while (!Files.exists(out.resolve("unfinished"))) {
      Thread.sleep(20);
    }
    System.out.println("second: " + FleetCommand.execute(new Ingest(), paths[0], paths[2]));
    first.join();
    System.exit(0);
  }

  @Test
  void startedTogetherBothEndRightOrOneRefuses() throws Exception {
    Path in = directory.resolve("in");
    Path out = directory.resolve("out");
    KeptRecordings.write(in, 0, RECORDINGS);
    for (RunningCommand each : List.of(ingest(in, out).start(), ingest(in, out).start())) {
      Ended ended = each.end();
      if (ended.exit() != 0) {
        Parts.assertRefused(ended, OTHER);
      }
    }
    assertSources(out);
  }

  private FleetJvm jvm() {
    return new FleetJvm(Parts.jdk(), directory, "local[2]");
  }

  private FleetJvm ingest(Object... paths) {
    return jvm().then(Ingest.class, paths);
  }

  private static void assertSources(Path out) throws Exception {
    try (DuckTables tables = new DuckTables(out)) {
      tables.assertWhole();
      assertEquals(RECORDINGS, tables.all().get("sources").size());
    }
  }
}
