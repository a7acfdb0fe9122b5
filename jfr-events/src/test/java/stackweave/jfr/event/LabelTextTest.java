package stackweave.jfr.event;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The text of labels, there and back. */
class LabelTextTest {
  @Test
  void anyTextComesBack() {
    TreeMap<String, String> labels =
        new TreeMap<>(Map.of("a", "", "b=;\\", "=;\\=", "endpoint", "/orders", "", "x", "ä", "→"));
    assertEquals(labels, LabelText.parse(LabelText.of(labels)));
    assertEquals(new TreeMap<>(), LabelText.parse(LabelText.of(new TreeMap<>())));
    assertEquals("a=1;b=x\\=y", LabelText.of(new TreeMap<>(Map.of("b", "x=y", "a", "1"))));
  }

  @Test
  void damagedTextsAreReadAsFarAsTheyGo() {
    assertEquals(Map.of("a", "1", "b", "", "c", "\\"), LabelText.parse("a=1;;b;c=\\"));
  }
}
