package stackweave.jfr.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DecimalsTest {
  @ParameterizedTest
  @ValueSource(doubles = {0, 0.004, 0.006, 0.049, 0.051, 0.996, 1, 9.96, 10, 99.994, 99.996, 1e11})
  void isWhatAFormatterMakes(double value) {
    for (int digits = 0; digits <= 3; digits++) {
      assertEquals(
          String.format(Locale.ROOT, "%." + digits + "f", value), Decimals.fixed(value, digits));
    }
  }

  @Test
  void isWhatAFormatterMakesOfAnyNumber() {
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      double value = random.nextDouble() * Math.pow(10, random.nextInt(9));
      int digits = random.nextInt(4);
      assertEquals(
          String.format(Locale.ROOT, "%." + digits + "f", value), Decimals.fixed(value, digits));
    }
  }

  @Test
  void refusesOtherNumbersOfDigits() {
    assertThrows(IllegalArgumentException.class, () -> Decimals.fixed(1, 4));
    assertThrows(IllegalArgumentException.class, () -> Decimals.fixed(1, -1));
  }
}
