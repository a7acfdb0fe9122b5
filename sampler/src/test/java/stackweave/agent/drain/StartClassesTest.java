package stackweave.agent.drain;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;

import org.junit.jupiter.api.Test;

class StartClassesTest {
  /** Names in texts survive a renaming of their class. */
  @Test
  void allAreThere() {
    for (String name : StartClasses.NAMES) {
      assertDoesNotThrow(() -> Class.forName(name, false, getClass().getClassLoader()));
    }
  }
}
