package stackweave.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.testing.Ended;
import stackweave.testing.RunningCommand;

/** Recordings that others change, very many, and one that unpacks to much. */
class OddRecordingsIT {
  @TempDir private Path directory;
  private Path in;
  private Path out;

  @BeforeEach
  void make() throws Exception {
    in = Files.createDirectories(directory.resolve("in"));
    out = directory.resolve("out");
  }

  @Test
  void whatChangesIsReadLaterAndWhatIsDeletedIsReadIfItWasOpen() throws Exception {
    // Each of one task, and one core: they are read in this order, and empty ones last.
    KeptRecordings.write(in, 0, 1);
    Path changes = Parts.pipe(in, "1-changes.jfr");
    Path deletedOpen = Parts.pipe(in, "2-deleted-while-it-is-read.jfr");
    Path deletedBefore = Files.createFile(in.resolve("3-deleted-before.jfr"));
    RunningCommand run = ingest("local[1]").start();
    Parts.until(() -> Files.exists(out.resolve("unfinished")), run);
    Files.write(changes, KeptRecordings.bytes("orders-25.jfr"));
    try (OutputStream writing = Files.newOutputStream(deletedOpen)) {
      Files.delete(deletedOpen);
      Files.delete(deletedBefore);
      writing.write(KeptRecordings.bytes("lab.jfr"));
    }
    run.end().successfully();
    assertEquals(
        Map.of(
            "1-changes.jfr", "changed while it was read; the next run looks at it again",
            "3-deleted-before.jfr", "was deleted before it was read"),
        rejects());
    assertEquals(List.of("0-orders-17.jfr", "2-deleted-while-it-is-read.jfr"), sources());
    Files.delete(changes);
    Files.write(changes, KeptRecordings.bytes("orders-25.jfr"));
    ingest("local[1]").run().successfully();
    assertEquals(
        List.of("0-orders-17.jfr", "1-changes.jfr", "2-deleted-while-it-is-read.jfr"), sources());
  }

  @Test
  void tenThousandFilesAreLookedAtOnce() throws Exception {
    int files = 10_000;
    for (int i = 0; i < files; i++) {
      Path host = Files.createDirectories(in.resolve("host-" + i % 100));
      Files.writeString(host.resolve(i + ".jfr"), "no recording " + i);
    }
    KeptRecordings.write(in, 0, 1);
    String first = ingest("local[2]").run().successfully().out();
    assertTrue(first.contains("1 recordings read, 10,000 rejected, 0 known before"), first);
    String second = ingest("local[2]").run().successfully().out();
    assertTrue(second.contains("0 recordings read, 0 rejected, 10,001 known before"), second);
  }

  @Test
  void whatUnpacksToMoreThanTheLimitIsRejected() throws Exception {
    int mebibytes = 10_000;
    ByteArrayOutputStream zeros = new ByteArrayOutputStream();
    try (OutputStream packed = new GZIPOutputStream(zeros)) {
      packed.write(new byte[1 << 20]);
    }
    for (String name : List.of("bomb.jfr.gz", "bomb-2.jfr.gz")) {
      try (OutputStream file = Files.newOutputStream(in.resolve(name))) {
        for (int i = 0; i < mebibytes; i++) {
          file.write(zeros.toByteArray()); // a file may have many packed parts
        }
      }
    }
    KeptRecordings.write(in, 0, 1);
    Ended ended =
        new FleetJvm(Parts.jdk(), directory, "local[2]")
            .then(Ingest.class, "--max-size=100", in, out)
            .then(Ingest.class, "--max-size=100", "--partial", in, out)
            .run()
            .successfully();
    assertEquals(
        List.of(
            "1 recordings read, 2 rejected, 0 known before",
            "0 recordings read, 0 rejected, 3 known before"),
        ended.outLines().stream().filter(line -> line.contains("known")).toList());
    assertEquals("is larger than 100 MiB, the limit (--max-size)", rejects().get("bomb.jfr.gz"));
    assertEquals(List.of("0-orders-17.jfr"), sources());
    try (var left = Files.newDirectoryStream(directory, "stackweave-*")) {
      left.forEach(file -> assertEquals("", file.toString(), "is left behind"));
    }
  }

  @Test
  void whatTheLocaleCannotNameIsLeftToARunThatCan() throws Exception {
    String text = new String(KeptRecordings.bytes("orders-25.jfr"), StandardCharsets.ISO_8859_1);
    String umlaut = text.replace("service.name=orders", "service.name=%C3%B6");
    Files.write(in.resolve("umlaut.jfr"), umlaut.getBytes(StandardCharsets.ISO_8859_1));
    KeptRecordings.write(in, 0, 1);
    String first = ingest("local[2]").environment("LC_ALL", "C").run().successfully().out();
    assertTrue(first.contains("1 recordings read, 1 rejected, 0 known before"), first);
    assertTrue(first.contains("start Spark with LC_ALL=C.UTF-8"), first);
    String second = ingest("local[2]").environment("LC_ALL", "C.UTF-8").run().successfully().out();
    assertTrue(second.contains("1 recordings read, 0 rejected, 1 known before"), second);
    assertEquals(List.of("0-orders-17.jfr", "umlaut.jfr"), sources());
    String asked =
        new FleetJvm(Parts.jdk(), directory, "local[2]")
            .environment("LC_ALL", "C")
            .thenFails(Query.class, out, "SELECT count(*) FROM samples")
            .run()
            .successfully()
            .err();
    assertTrue(asked.contains("start Spark with LC_ALL=C.UTF-8"), asked);
  }

  private FleetJvm ingest(String master) {
    return new FleetJvm(Parts.jdk(), directory, master).then(Ingest.class, in, out);
  }

  private List<String> sources() throws Exception {
    try (DuckTables tables = new DuckTables(out)) {
      tables.assertWhole();
      return tables.rows("SELECT parse_filename(path) FROM sources ORDER BY 1").stream()
          .map(row -> row.get(0))
          .toList();
    }
  }

  private Map<String, String> rejects() throws Exception {
    Map<String, String> reasons = new TreeMap<>();
    try (DuckTables tables = new DuckTables(out)) {
      tables
          .rows("SELECT parse_filename(path), reason FROM rejects")
          .forEach(row -> reasons.put(row.get(0), row.get(1)));
    }
    return reasons;
  }
}
