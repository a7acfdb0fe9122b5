package stackweave.agent.cli.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PlainTest {
  private static final String BLANKS = " ".repeat(8 << 20);

  @Test
  void severalLinesBecomeOne() {
    assertEquals("a b c", Plain.line("  a \r\n\n\t b\u2028c ".replace("\u2028", "\n")));
    assertEquals("a?[31m b", Plain.line("a\u001b[31m\nb"));
    assertEquals("", Plain.line(" \n \n"));
  }

  /** A socket may answer anything: what is said of it is to be there at once. */
  @Test
  void blanksWithoutEndTakeNoTime() {
    assertTimeoutPreemptively(
        Duration.ofMinutes(2),
        () -> {
          assertEquals("a", Plain.line("a\n" + BLANKS + "x"));
          assertEquals("x", Plain.line(BLANKS.substring(0, 60_000) + "\n x"));
          assertEquals("", Plain.line(BLANKS + BLANKS));
        });
  }
}
