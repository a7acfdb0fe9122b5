package stackweave.fleet.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which files are found below directories. */
class InputListTest {
  @TempDir private Path directory;

  @Test
  @Timeout(60)
  void linksInACircleAreLookedAtOnce() throws Exception {
    Path below = Files.createDirectories(directory.resolve("in/below"));
    Files.writeString(below.resolve("a.jfr"), "");
    Files.createSymbolicLink(below.resolve("itself"), Path.of("."));
    Files.createSymbolicLink(below.resolve("again"), Path.of("."));
    Files.createSymbolicLink(below.resolve("up"), Path.of(".."));
    Path elsewhere = Files.createDirectories(directory.resolve("elsewhere"));
    Files.writeString(elsewhere.resolve("b.jfr.gz"), "");
    Files.createSymbolicLink(directory.resolve("in/link"), elsewhere);
    Files.createSymbolicLink(directory.resolve("in/link2"), elsewhere);
    List<String> names =
        InputList.of(
                List.of(directory.resolve("in").toString()),
                new org.apache.hadoop.fs.Path("file:/out"),
                new Configuration(false))
            .stream()
            .map(file -> Path.of(file.path()).getFileName().toString())
            .toList();
    assertEquals(List.of("a.jfr", "b.jfr.gz"), names);
  }
}
