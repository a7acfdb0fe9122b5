package stackweave.agent.cli.common;

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
  @Test
  void whatWasNeverShownIsNotRemoved() {
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    try (PrintStream terminal = new PrintStream(shown, true, StandardCharsets.UTF_8);
        ProgressLine line = ProgressLine.on(terminal, 1_000_000, 200)) {
      line.read(300, 300, 1);
    }
    assertEquals("", shown.toString(StandardCharsets.UTF_8));
  }

  @Test
  void whatIsRemovedCanBeShownAgain() throws Exception {
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    try (PrintStream terminal = new PrintStream(shown, true, StandardCharsets.UTF_8);
        ProgressLine line = ProgressLine.on(terminal, 0, 200)) {
      line.show(() -> "one\033[2J");
      line.show(() -> "too soon");
      line.clear();
      line.clear();
      Thread.sleep(250);
      line.show(() -> "x".repeat(200));
    }
    String longest = "x".repeat(38) + "..." + "x".repeat(38);
    assertEquals(
        "\r\033[Kone?[2J\r\033[K\r\033[K" + longest + "\r\033[K",
        shown.toString(StandardCharsets.UTF_8));
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
