package stackweave.engine.timer.handler;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** The ring is as large as it has to be. */
class RingBytesTest {
  private static final int MIB = 1 << 20;

  @Test
  void theRingFollowsIntervalAndCpus() {
    assertEquals(16 * MIB, HandlerMemory.ringBytes(2, 100));
    assertEquals(8 * MIB, HandlerMemory.ringBytes(1, 100));
    assertEquals(32 * MIB, HandlerMemory.ringBytes(2, 250));
    assertEquals(HandlerMemory.MIN_RING_BYTES, HandlerMemory.ringBytes(1, 1));
    assertEquals(HandlerMemory.MAX_RING_BYTES, HandlerMemory.ringBytes(256, 1000));
  }
}
