package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sizes for numbers of CPUs that this machine need not have. */
class PerfSizesTest {
  private static final int KIBIBYTE = 1024;
  private static final long MEBIBYTE = 1024 * KIBIBYTE;
  private static final int FULL_STACK = 65_528;

  @ParameterizedTest
  @CsvSource({
    "1, 16384",
    "2, 16384",
    "4, 16384",
    "5, 8192",
    "64, 1024",
    "256, 256",
    "1000, 64",
    "1024, 64",
    "1025, 0",
    "4096, 0",
    "8192, 0"
  })
  void allRingsTogetherHaveALimit(int cpus, int kibibytes) {
    int bytes = PerfSizes.ringBytes(cpus, PerfSizes.RING_BYTES);
    assertEquals(kibibytes * KIBIBYTE, bytes);
    assertTrue((long) cpus * bytes <= 64 * MEBIBYTE);
    // As the kernel demands, and a word never lies across the end.
    assertEquals(bytes, Integer.highestOneBit(bytes));
  }

  @Test
  void aUserHasNoMoreThanTheKernelGrants() {
    assertEquals(512 * KIBIBYTE, PerfSizes.ringBytes(2, PerfSizes.USER_RING_BYTES));
    assertEquals(64 * KIBIBYTE, PerfSizes.ringBytes(1024, PerfSizes.USER_RING_BYTES));
  }

  /** In a ring of any size at least some samples have room, whatever the interval. */
  @ParameterizedTest
  @ValueSource(ints = {64, 128, 256, 512, 1024, 4096, 16384})
  void stacksAreCutRatherThanSamplesLost(int kibibytes) {
    for (long interval : new long[] {100_000, 1_000_000, 10_000_000}) {
      int ring = kibibytes * KIBIBYTE;
      int stack = PerfSizes.stackBytes(ring, interval, FULL_STACK);
      assertTrue(stack >= PerfSizes.MIN_STACK_BYTES && stack <= FULL_STACK, "" + stack);
      assertEquals(0, stack % 8);
      assertTrue(ring / (stack + PerfSizes.RECORD_OVERHEAD) >= 3, "" + stack);
    }
  }

  @Test
  void withFewCpusStacksAreWhole() {
    assertEquals(FULL_STACK, PerfSizes.stackBytes(PerfSizes.RING_BYTES, 1_000_000, FULL_STACK));
    assertEquals(8_192, PerfSizes.stackBytes(PerfSizes.RING_BYTES, 1_000_000, 8_192));
  }

  /** The ring of a busy CPU is drained before it is half full. */
  @ParameterizedTest
  @ValueSource(ints = {256, 512, 1024, 4096, 16384})
  void drainedBeforeHalfFull(int kibibytes) {
    int ring = kibibytes * KIBIBYTE;
    long interval = 10_000_000;
    int stack = PerfSizes.stackBytes(ring, interval, FULL_STACK);
    long samples = PerfSizes.busyMillis(ring, interval, stack) * 1_000_000L / interval;
    assertTrue(samples * (stack + PerfSizes.RECORD_OVERHEAD) <= ring / 2, "" + samples);
  }
}
