package stackweave.agent.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the kernel calls Java threads, as read on JDK 25 and on JDK 26. */
class NativeThreadNameTest {

  @ParameterizedTest
  @CsvSource({
    "stackweave-drain, stackweave-drai, true",
    "stackweave-drain, stackwe..-drain, true",
    "stackweave-drain, stackweave-drain, false",
    "stackweave-drain, stackweave-cont, false",
    "fifteen-letters, fifteen-letters, true",
    "fifteen-letters, fifteen..etters, false",
    "main, main, true",
    "main, mai, false"
  })
  void namesAreCutFromSixteenBytesOn(String name, String comm, boolean same) {
    assertEquals(same, NativeThreadName.isOf(name, comm));
  }
}
