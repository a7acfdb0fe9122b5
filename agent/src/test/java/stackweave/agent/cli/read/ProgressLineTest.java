package stackweave.agent.cli.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgressLineTest {
  private static final long MILLIS = 3_000;

  /** Nothing at first; then a line, which is removed at the end. */
  @Test
  void aLineAfterAWhile() throws Exception {
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    try (PrintStream terminal = new PrintStream(shown, true, StandardCharsets.UTF_8)) {
      try (ProgressLine line = ProgressLine.on(terminal, MILLIS)) {
        line.read(1, 300, 5);
        assertEquals("", shown.toString(StandardCharsets.UTF_8));
        Thread.sleep(MILLIS + 100);
        line.read(100, 300, 12_345);
        line.read(101, 300, 12_346);
        assertEquals(
            "\r\033[Kreading: 33 %, 12,345 samples", shown.toString(StandardCharsets.UTF_8));
      }
      assertEquals(
          "\r\033[Kreading: 33 %, 12,345 samples\r\033[K", shown.toString(StandardCharsets.UTF_8));
    }
  }

  @Test
  void whatWasNeverShownIsNotRemoved() {
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    try (PrintStream terminal = new PrintStream(shown, true, StandardCharsets.UTF_8);
        ProgressLine line = ProgressLine.on(terminal, 1_000_000)) {
      line.read(300, 300, 1);
    }
    assertEquals("", shown.toString(StandardCharsets.UTF_8));
  }

  @Test
  void onlyATerminalIsOne(@TempDir Path directory) throws Exception {
    assertTrue(ProgressLine.isTerminal(link(directory, "/dev/pts/3")));
    assertTrue(ProgressLine.isTerminal(link(directory, "/dev/tty1")));
    assertFalse(ProgressLine.isTerminal(link(directory, "pipe:[4711]")));
    assertFalse(ProgressLine.isTerminal(link(directory, "/dev/null")));
    assertFalse(ProgressLine.isTerminal(link(directory, "/tmp/dev/pts/3")));
    assertFalse(ProgressLine.isTerminal(directory.resolve("none")));
  }

  private static Path link(Path directory, String to) throws Exception {
    Path link = directory.resolve("descriptor");
    Files.deleteIfExists(link);
    return Files.createSymbolicLink(link, Path.of(to));
  }
}
