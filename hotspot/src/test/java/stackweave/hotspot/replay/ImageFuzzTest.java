package stackweave.hotspot.replay;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Stacks of JVMs whose memory lies end for a reason, within bounds. */
class ImageFuzzTest {
  static final Path CASES = Path.of("src/test/resources/replay");

  @Test
  void someLies() throws Exception {
    ImageFuzz fuzz = new ImageFuzz(CASES, 16);
    for (long number = 0; number < 4096; number++) {
      fuzz.run(number);
    }
    assertTrue(fuzz.refused() > 0, "no VM was refused");
  }
}
