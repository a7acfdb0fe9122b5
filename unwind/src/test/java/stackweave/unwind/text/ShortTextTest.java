package stackweave.unwind.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ShortTextTest {
  @Test
  void endsWithAWholeCharacter() {
    assertEquals("abc", ShortText.of("abc", 3));
    assertEquals("ab", ShortText.of("abc", 2));
    assertEquals("a", ShortText.of("a\ud83d\ude00b", 2));
    assertEquals("a\ud83d\ude00", ShortText.of("a\ud83d\ude00b", 3));
  }
}
