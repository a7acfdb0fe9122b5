package stackweave.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.testing.Ended;

/** What users get wrong: one line on stderr, exit code 2, and nothing is changed. */
class BadInputIT {
  private static final String WHERE = "--where";

  @TempDir private Path directory;
  private Path in;
  private Path out;
  private FleetJvm jvm;

  /** What each line must have, in the order of the commands. */
  private final List<String> texts = new ArrayList<>();

  @BeforeEach
  void makeTables() throws Exception {
    in = directory.resolve("in");
    out = directory.resolve("out");
    KeptRecordings.write(in, 0, 1);
    new FleetJvm(Parts.jdk(), directory, "local[2]")
        .then(Ingest.class, in, out)
        .run()
        .successfully();
    jvm = new FleetJvm(Parts.jdk(), directory, "local[2]").options("-Dfleet.log=off");
  }

  @Test
  void ofIngest() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "no directory\n");
    fails("no such file or directory", Ingest.class, directory.resolve("nothing"), out);
    fails("no such file or directory", Ingest.class, directory.resolve("*.nothing"), out);
    fails("can't be reached", Ingest.class, "", out);
    fails("file", Ingest.class, in, file);
    fails("file", Ingest.class, in, file.resolve("below"));
    fails("can't be made", Ingest.class, in, "/proc/stackweave");
    fails("can't be reached", Ingest.class, in, "a:b");
    fails("can't be reached", Ingest.class, in, "");
    fails("can't be reached", Ingest.class, in, "hdfs://nothing.invalid/tables");
    fails("S3AFileSystem", Ingest.class, in, "s3a://nothing/tables");
    fails("S3AFileSystem", Ingest.class, "s3a://nothing/in", out);
    fails("No FileSystem for scheme", Ingest.class, in, "nothing://x/tables");
    fails("viewfs", Ingest.class, in, "viewfs://x/tables");
    fails("har", Ingest.class, in, "har://file-/tmp/x.har/tables");
    fails("its file system (http) can't", Ingest.class, in, "http://localhost:1/tables");
    fails("ftp://localhost:1/tables", Ingest.class, in, "ftp://localhost:1/tables");
    fails("webhdfs", Ingest.class, in, "webhdfs://localhost:1/tables");
    fails("refused", Ingest.class, in, "hdfs://localhost:1/tables");
    fails("--max-size", Ingest.class, "--max-size", "0", in, out);
    fails("--max-size", Ingest.class, "--max-size", "many", in, out);
    fails("--service-from", Ingest.class, "--service-from", "path:/{nothing}/", in, out);
    fails("--nothing", Ingest.class, "--nothing", in, out);
    fails("OUT", Ingest.class, out);
    assertFailures();
  }

  @Test
  void ofQuestions() throws Exception {
    Path empty = Files.createDirectories(directory.resolve("empty"));
    Path nothing = directory.resolve("nothing");
    Path page = directory.resolve("page.html");
    fails("SYNTAX", Top.class, out, WHERE, "service = ");
    fails("no predicate", Top.class, out, WHERE, "");
    fails("`servic`", Top.class, out, WHERE, "servic = 'orders'");
    fails("no predicate", Top.class, out, WHERE, "1 + 1");
    fails("INVALID_WHERE", Top.class, out, WHERE, "sum(count) > 1");
    fails("zero", Top.class, out, WHERE, "count / 0 > 1");
    fails("no samples", Top.class, out, WHERE, "service = 'nothing'");
    fails("no samples", Top.class, out, "--event", "nothing");
    fails("give one of them", Top.class, out, "--event", "x", "--wall");
    fails("has no tables", Top.class, empty);
    fails("has no tables", Top.class, nothing);
    fails("has no tables", Query.class, empty, "SELECT 1");
    fails("has no tables", Symbolize.class, empty, in);
    fails("no directory of this machine", Symbolize.class, out, nothing);
    fails("S3AFileSystem", Query.class, "s3a://nothing/tables", "SELECT 1");
    fails("SYNTAX", Query.class, out, "SELECT * FROM (");
    fails("PARSE", Query.class, out, "");
    fails("`nothing`", Query.class, out, "SELECT nothing FROM samples");
    fails("zero", Query.class, out, "SELECT 1 / 0");
    fails("-n must be 1 or more", Top.class, out, "-n", "0");
    fails("answers questions", Query.class, out, "DROP VIEW samples");
    fails("answers questions", Query.class, out, "CREATE TABLE foo AS SELECT 1 AS a");
    fails("answers questions", Query.class, out, "INSERT INTO samples SELECT * FROM samples");
    fails("-n must be 1 or more", Query.class, out, "SELECT 1", "-n", "-1");
    fails(
        "is no directory to write into", FlameGraph.class, out, "-o", nothing.resolve("page.html"));
    fails("`servic`", FlameGraph.class, out, WHERE, "servic = 1", "-o", page);
    fails("SYNTAX", Diff.class, out, "--before", "true", "--after", "=", "-o", page);
    assertFailures();
    assertTrue(Files.notExists(page), "no page of nothing");
  }

  @Test
  void ofDamagedTables() throws Exception {
    Path manifest = Path.of("manifests/manifest-000000000001.json");
    String whole = Files.readString(out.resolve(manifest));
    Path damaged = tables("damaged");
    Files.writeString(damaged.resolve(manifest), whole.substring(0, whole.length() / 2));
    Path later = tables("later");
    Files.writeString(
        later.resolve(manifest), whole.replaceFirst("\"version\" : 1", "\"version\" : 2"));
    Path gone = tables("gone");
    Files.move(gone.resolve("samples"), directory.resolve("samples-of-gone"));
    Path other = tables("other");
    try (Stream<Path> files = Files.walk(other.resolve("samples"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".parquet")).toList()) {
        Files.writeString(file, "no Parquet, but of some length\n");
      }
    }
    for (Path each : List.of(damaged, later)) {
      String text = each.equals(later) ? "use a newer stackweave-fleet.jar" : "is damaged";
      fails(text, Ingest.class, in, each);
      fails(text, Top.class, each);
      fails(text, Query.class, each, "SELECT 1");
      fails(text, Symbolize.class, each, in);
    }
    SQLException newer = assertThrows(SQLException.class, () -> new DuckTables(later).close());
    assertTrue(newer.getMessage().contains("of version 2"), newer.getMessage());
    fails("does not exist", Top.class, gone);
    fails("Checksum", Top.class, other);
    assertFailures();
  }

  private Path tables(String name) throws IOException {
    Path copy = directory.resolve(name);
    try (Stream<Path> all = Files.walk(out)) {
      for (Path each : all.toList()) {
        Files.copy(each, copy.resolve(out.relativize(each)));
      }
    }
    return copy;
  }

  private void fails(String text, Class<? extends Callable<Integer>> command, Object... arguments) {
    jvm.thenFails(command, arguments);
    texts.add(text);
  }

  private void assertFailures() throws Exception {
    Map<String, String> before = content();
    Ended ended = jvm.run().successfully();
    List<String> lines = Parts.errLines(ended);
    assertEquals(texts.size(), lines.size(), ended.err());
    List<String> wrong = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (!line.startsWith("stackweave-fleet: ")
          || !line.contains(texts.get(i))
          || line.startsWith("stackweave-fleet: unexpected")) {
        wrong.add("no '" + texts.get(i) + "' in " + line);
      }
    }
    assertEquals(List.of(), wrong);
    assertEquals("", ended.out());
    assertEquals(before, content());
  }

  /** All files of all tables, with their content. */
  private Map<String, String> content() throws IOException {
    Map<String, String> content = new TreeMap<>();
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path each : all.filter(Files::isRegularFile).toList()) {
        String name = directory.relativize(each).toString();
        if (name.contains("/")) { // else it is of the command that runs
          content.put(name, Files.readString(each, StandardCharsets.ISO_8859_1));
        }
      }
    }
    return content;
  }
}
