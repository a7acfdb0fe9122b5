package stackweave.agent.cli.common;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Progress that is shown after a while. */
class ProgressLineIT {
  private static final long MILLIS = 3_000;
  private static final long HOUR = 3_600_000;

  /** Nothing at first; then a line, which is removed at the end. */
  @Test
  void aLineAfterAWhile() throws Exception {
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    try (PrintStream terminal = new PrintStream(shown, true, StandardCharsets.UTF_8)) {
      try (ProgressLine line = ProgressLine.on(terminal, MILLIS, HOUR)) {
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
}
