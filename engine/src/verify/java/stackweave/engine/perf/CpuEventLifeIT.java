package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import stackweave.engine.CpuSet;
import stackweave.linux.Errno;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;

/**
 * When CPUs are back, by the kernel's counts. An event that is disabled stands for one whose CPU
 * has been offline: neither counts any more.
 */
class CpuEventLifeIT {
  private static final long IOC_ENABLE = 0x2400;
  private static final long IOC_DISABLE = 0x2401;

  private final SystemCalls calls = SystemCalls.current().orElseThrow();
  private final int page = (int) Libc.sysconf(Libc.SC_PAGESIZE);

  @Test
  void aCpuIsBackIfItIsOnlineAndItsEventDoesNotCount() throws Exception {
    try (NativeBuffer attr = NativeBuffer.allocate(PerfAttr.BYTES);
        PerfRings rings = PerfRings.open((cpu, bytes) -> clock(attr, cpu), cpus(), page, page)) {
      assumeFalse(rings.errno() == Errno.EACCES, "this user may not count CPUs");
      assertEquals(0, rings.errno());
      boolean[] isOffline = {true};
      IntUnaryOperator opener = cpu -> isOffline[0] ? -1 : clock(attr, cpu);
      try (CpuEventLife life = CpuEventLife.of(rings.all(), true, opener)) {
        assertEquals(0, life.fileDescriptors());
        assertFalse(life.isAnyBack());

        Libc.ioctl(rings.all()[0].fd(), IOC_DISABLE, 0);
        life.isAnyBack(); // it counted up to then
        assertFalse(life.isAnyBack());
        isOffline[0] = false;
        assertTrue(life.isAnyBack());
        assertTrue(life.isAnyBack());

        Libc.ioctl(rings.all()[0].fd(), IOC_ENABLE, 0);
        assertFalse(life.isAnyBack());
      }
    }
  }

  @Test
  void eventsOfAGroupAreWatchedByOthersThatCountAllTheTime() throws Exception {
    try (NativeBuffer attr = NativeBuffer.allocate(PerfAttr.BYTES);
        PerfRings rings = PerfRings.open((cpu, bytes) -> clock(attr, cpu), cpus(), page, page)) {
      assumeFalse(rings.errno() == Errno.EACCES, "this user may not count CPUs");
      assertEquals(0, rings.errno());
      for (PerfRing ring : rings.all()) {
        Libc.ioctl(ring.fd(), IOC_DISABLE, 0); // as if no thread of the group ran
      }
      try (CpuEventLife life = CpuEventLife.of(rings.all(), false, cpu -> clock(attr, cpu))) {
        assertEquals(rings.count(), life.fileDescriptors());
        assertFalse(life.isAnyBack());
        assertFalse(life.isAnyBack());
      }
    }
  }

  private static int[] cpus() {
    return CpuSet.without(CpuSet.withoutTicks(), CpuSet.ofProcess());
  }

  private int clock(NativeBuffer attr, int cpu) {
    PerfAttr.clock(attr.bytes());
    return calls.perfEventOpen(attr.address(), -1, cpu, -1, PerfEvents.FLAG_FD_CLOEXEC);
  }
}
