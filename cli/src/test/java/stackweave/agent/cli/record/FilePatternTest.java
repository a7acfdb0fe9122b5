package stackweave.agent.cli.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the files of {@code record --loop} are called. */
class FilePatternTest {
  private static final long MORNING =
      LocalDateTime.of(2026, 1, 2, 3, 4, 5)
          .atZone(ZoneId.systemDefault())
          .toInstant()
          .toEpochMilli();

  private static String file(String pattern, long number) {
    return new FilePattern(pattern).file(4711, MORNING, number).toString();
  }

  @Test
  void theTimeIsThatOfTheClockOnTheWall() {
    assertEquals("rec-4711-2026_01_02_03_04_05%.jfr", file("rec-%p-%t%%.jfr", 1));
  }

  @Test
  void theLastOnesAreKept() {
    List<String> files = new ArrayList<>();
    for (int number = 0; number < 5; number++) {
      files.add(file("rec-%n{3}.jfr", number));
    }
    assertEquals(List.of("rec-0.jfr", "rec-1.jfr", "rec-2.jfr", "rec-0.jfr", "rec-1.jfr"), files);
  }

  @Test
  void aNameThatIsAlwaysTheSameIsRefused() {
    assertTrue(new FilePattern("rec-%p%%t.jfr").problem().startsWith("each recording"));
    assertEquals("%n{0} keeps no file", new FilePattern("%n{0}").problem());
    assertEquals("", new FilePattern("rec-%t.jfr").problem());
  }
}
