package stackweave.testing;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class CpuShareTest {
  private static final CpuShare BEGIN = new CpuShare(0, 0, 0, 0, 0);

  /** A hundred seconds of two CPUs. */
  private static CpuShare end(long idle, long children) {
    return new CpuShare(100_000_000_000L, 20_000, idle, 0, children);
  }

  @Test
  void starvedIsWhoWaitsForBusyCpus() {
    assertTrue(BEGIN.isStarved(end(100, 4_000)));
    assertFalse(BEGIN.isStarved(end(100, 6_000)), "its children had a CPU");
    assertFalse(BEGIN.isStarved(end(8_000, 4_000)), "its children wanted none");
  }

  @Test
  void childrensTimeIsCounted() throws Exception {
    CpuShare begin = CpuShare.now();
    Commands.run("sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done");
    CpuShare end = CpuShare.now();
    assertTrue(end.children() > begin.children(), end::toString);
    assertTrue(end.ticks() > begin.ticks() && end.idle() >= begin.idle(), end::toString);
  }
}
