package stackweave.jfr.event;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimespansTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0 s",
    "40_000_000, 40 ms",
    "99_999_999, 100 ms",
    "100_000_000, 0.1 s",
    "2_240_000_000, 2.2 s",
    "30_000_000_000, 30 s",
    "59_940_000_000, 59.9 s",
    "59_960_000_000, 1 min",
    "125_000_000_000, 2 min 5 s",
    "3_599_600_000_000, 1 h",
    "12_000_000_000_000, 3 h 20 min",
  })
  void aTimeIsSaidAsAPersonWould(String nanos, String said) {
    assertEquals(said, Timespans.spoken(Long.parseLong(nanos.replace("_", ""))));
  }
}
