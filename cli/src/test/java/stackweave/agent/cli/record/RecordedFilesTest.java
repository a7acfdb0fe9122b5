package stackweave.agent.cli.record;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordedFilesTest {
  private static final long SECOND = 1_000_000_000;

  @ParameterizedTest
  @CsvSource({
    "30, 30, 30, ''",
    "34, 30, 34, ''",
    "40, 30, 40, 'the recording is of 40 s, and 30 s were asked for'",
    "20, 30, 30, 'the recording is of 20 s, and 30 s were asked for'",
    "-1, 30, 30, ''",
    // Ctrl-C, or the last of a loop.
    "6, 30, 6, ''",
    "3, 30, 9, 'the recording is of 3 s, and 9 s were asked for'",
  })
  void isSaidToBeOfAnotherTime(long length, long wanted, long passed, String said) {
    assertEquals(said, RecordedFiles.otherTime(length * SECOND, wanted * SECOND, passed * SECOND));
  }
}
