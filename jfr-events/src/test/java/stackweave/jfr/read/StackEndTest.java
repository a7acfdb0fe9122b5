package stackweave.jfr.read;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class StackEndTest {

  @Test
  void aStackThatWasCutSaysAtWhichDepth() {
    assertEquals(Optional.of("[stopped: deeper than depth=8192]"), marker("too deep", 8192));
    assertEquals(
        Optional.of("[stopped: deeper than depth=64 with older frames read later]"),
        marker("too deep with older frames read later", 64));
    assertEquals(Optional.of("[truncated]"), marker("truncated", 64));
    assertEquals(Optional.of("[stopped: null return address]"), marker("null return address", 64));
    assertEquals(Optional.empty(), new StackEnd("complete", true).marker(64));
  }

  private static Optional<String> marker(String label, int frames) {
    return new StackEnd(label, false).marker(frames);
  }
}
