package stackweave.fleet.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of two runs one loses, what no manifest names goes, and a bad manifest is one line. */
class TableDirectoryTest {
  private static final Instant NOW = Instant.now();

  @TempDir private Path path;
  private TableDirectory directory;

  @BeforeEach
  void open() throws Exception {
    directory = TableDirectory.open(path.toString(), new Configuration(false));
    directory.lock().close();
  }

  @Test
  void ofTwoRunsThatBeganWithOneManifestTheLaterFails() throws Exception {
    for (String batch : List.of("first", "second", "third")) {
      Files.createDirectories(path.resolve(Table.SAMPLES.directory(batch)));
    }
    Manifest empty = directory.manifest();
    Manifest first = empty.with("first", List.of(Table.SAMPLES));
    directory.commit(first);
    assertEquals(first, directory.manifest());
    Manifest second = empty.with("second", List.of(Table.SAMPLES));
    assertThrows(FleetException.class, () -> directory.commit(second));
    assertEquals(first, directory.manifest());
    directory.commit(first); // as a store sees it whose answer was lost
    directory.commit(first.with("third", List.of(Table.SAMPLES)));
    assertEquals(
        List.of("samples/batch=first", "samples/batch=third"), directory.manifest().samples());
    assertEquals(2, Files.list(path.resolve("manifests")).count(), "no unfinished ones");
  }

  @Test
  void whatNoManifestNamesIsDeletedADayLater() throws Exception {
    String old = TableDirectory.newBatch(NOW.minus(Duration.ofHours(1)));
    String named = TableDirectory.newBatch(NOW);
    String replaced = TableDirectory.newBatch(NOW);
    for (String batch : List.of(old, named, replaced)) {
      Files.createDirectories(path.resolve(Table.STACKS.directory(batch)));
      Files.createDirectories(path.resolve("unfinished/batch=" + batch));
    }
    Files.createDirectories(path.resolve("stacks/of another"));
    Manifest first = directory.manifest().with(replaced, List.of(Table.STACKS));
    directory.commit(first);
    directory.commit(first.withOnly(named, Table.STACKS));
    directory.clean(NOW.plus(Duration.ofHours(23).plusMinutes(30)));
    assertEquals(
        List.of("batch=" + named, "batch=" + replaced, "of another").stream().sorted().toList(),
        names("stacks"));
    directory.clean(NOW.plus(Duration.ofHours(25)));
    assertEquals(List.of("batch=" + named, "of another"), names("stacks"));
    assertEquals(List.of(), names("unfinished"));
    assertEquals(List.of("manifest-000000000002.json"), names("manifests"));
  }

  @Test
  void aRunWhoseBatchWasDeletedMakesNoManifest() throws Exception {
    Manifest next = directory.manifest().with("deleted", List.of(Table.SAMPLES));
    assertThrows(FleetException.class, () -> directory.commit(next));
    assertEquals(List.of(), names("manifests"));
  }

  @Test
  void whatAKilledRunLeftOfAManifestIsWrittenOver() throws Exception {
    Files.createDirectories(path.resolve(Table.SAMPLES.directory("first")));
    Files.writeString(path.resolve("manifests/.new"), "x".repeat(10_000));
    Manifest first = directory.manifest().with("first", List.of(Table.SAMPLES));
    directory.commit(first);
    assertEquals(first, directory.manifest());
    assertEquals(List.of("manifest-000000000001.json"), names("manifests"));
  }

  @Test
  void aDamagedOrNewerManifestIsOneLine() throws Exception {
    Path file = path.resolve("manifests/manifest-000000000001.json");
    for (String damaged :
        List.of("", "{", "null", "[]", "{}", "{\"version\":1}", "{\"version\":0,\"number\":1}")) {
      Files.writeString(file, damaged);
      String message = assertThrows(FleetException.class, () -> directory.manifest()).getMessage();
      assertTrue(message.contains("manifest-000000000001.json: is damaged"), damaged + message);
      assertFalse(message.contains("\n"), message);
    }
    Files.writeString(file, "{\"version\":2,\"tables\":{}}");
    String message = assertThrows(FleetException.class, () -> directory.manifest()).getMessage();
    assertTrue(message.contains("use a newer"), message);
  }

  private List<String> names(String of) throws IOException {
    try (var files = Files.list(path.resolve(of))) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }
}
