package stackweave.jfr.export.thread;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CommonNameTest {
  /** Two characters above U+FFFF have their first half in common. */
  @Test
  void itEndsWithAWholeCharacter() {
    CommonName name = new CommonName("job \ud83d\ude00");
    name.add("job \ud83d\ude01");
    assertEquals("job...", name.text());
  }
}
