package stackweave.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KernelClockTest {
  private static final long SECOND = 1_000_000_000;

  /** Whether it is faked by little or much. */
  @ParameterizedTest
  @ValueSource(longs = {0, -5, 5, 2_592_000})
  void timesOfProbesAreOfThisJvmsClock(long fakedBySeconds) {
    KernelClock clock = new KernelClock(fakedBySeconds * SECOND);
    long then = System.nanoTime() - SECOND / 2;
    assertEquals(then, clock.near(then - clock.offset()));
  }

  @Test
  void aNamespaceMayAddAnythingToTheClock() throws IOException {
    List<String> lines =
        List.of("monotonic      -500         7", "boottime            0         0");
    assertEquals(-500 * SECOND + 7, KernelClock.ofNamespace(lines));
    assertThrows(IOException.class, () -> KernelClock.ofNamespace(lines.subList(1, 2)));
  }

  @ParameterizedTest
  @ValueSource(longs = {-3_600, 3_600})
  void inAnotherNamespaceTheTimeIsNow(long apartSeconds) {
    long before = System.nanoTime();
    long near = new KernelClock(0).near(before + apartSeconds * SECOND);
    assertTrue(before <= near && near <= System.nanoTime());
  }
}
