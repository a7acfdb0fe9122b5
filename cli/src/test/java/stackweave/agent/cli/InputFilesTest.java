package stackweave.agent.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import stackweave.agent.cli.common.FailedException;

class InputFilesTest {
  @TempDir Path directory;
  private Path recording;
  private Path page;
  private InputFiles files;

  @CommandLine.Command
  static final class Reads {
    @CommandLine.Parameters List<Path> files;

    @CommandLine.Option(names = "-o")
    Path output;
  }

  @BeforeEach
  void begin() throws IOException {
    recording = Files.writeString(directory.resolve("rec.jfr"), "events");
    page = Files.writeString(directory.resolve("rec.html"), "old");
    Files.setLastModifiedTime(recording, FileTime.from(Instant.ofEpochSecond(1_000)));
    files =
        InputFiles.of(
            new CommandLine(new Reads())
                .parseArgs("-o", page.toString(), recording.toString(), "not-there.jfr"));
  }

  @Test
  void outputsAndFilesThatGrowOrVanishAreFine() throws Exception {
    files.compare();
    Files.writeString(page, "x");
    Files.writeString(recording, " and more", StandardOpenOption.APPEND);
    files.compare();
    Files.delete(recording);
    files.compare();
  }

  @Test
  void oneThatIsOverwrittenIsNot() throws Exception {
    Files.writeString(recording, "stneve");
    FailedException e = assertThrows(FailedException.class, files::compare);
    assertTrue(e.getMessage().startsWith(recording + " was overwritten while it was read: "));
    Files.setLastModifiedTime(recording, FileTime.from(Instant.ofEpochSecond(1_000)));
    files.compare();
    Files.writeString(recording, "");
    assertThrows(FailedException.class, files::compare);
  }

  @Test
  void oneThatIsReplacedIsNot() throws Exception {
    Path other = Files.writeString(directory.resolve("other.jfr"), "other events");
    Files.delete(recording);
    assertEquals(recording, Files.move(other, recording));
    FailedException e = assertThrows(FailedException.class, files::compare);
    assertTrue(e.getMessage().startsWith(recording + " was replaced by another file"));
  }
}
