package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.util.BitSet;
import org.junit.jupiter.api.Test;
import stackweave.cpu.PerfRegisters;
import stackweave.engine.CpuSet;
import stackweave.linux.Errno;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;

/**
 * Which events of CPUs have ended, by the kernel's counts. An event that is disabled stands for one
 * whose CPU has been offline: neither counts any more.
 */
class EndedCpuEventsIT {
  private static final long IOC_ENABLE = 0x2400;
  private static final long IOC_DISABLE = 0x2401;

  private final SystemCalls calls = SystemCalls.current().orElseThrow();
  private final int page = (int) Libc.sysconf(Libc.SC_PAGESIZE);

  @Test
  void anEventHasEndedIfItsCpuIsOnlineAndItDoesNotCount() throws Exception {
    int[] cpus = CpuSet.without(CpuSet.withoutTicks(), CpuSet.ofProcess());
    try (NativeBuffer attr = NativeBuffer.allocate(PerfAttr.BYTES);
        PerfRings rings = PerfRings.open((cpu, bytes) -> clock(attr, cpu), cpus, page, page)) {
      assumeFalse(rings.errno() == Errno.EACCES, "this user may not count CPUs");
      assertEquals(0, rings.errno());
      BitSet online = new BitSet();
      for (PerfRing ring : rings.all()) {
        Libc.ioctl(ring.fd(), IOC_ENABLE, 0);
        online.set(ring.cpu());
      }
      assertFalse(rings.haveEnded(online));

      Libc.ioctl(rings.all()[0].fd(), IOC_DISABLE, 0);
      rings.haveEnded(online); // it counted up to then
      assertFalse(rings.haveEnded(new BitSet()));
      assertTrue(rings.haveEnded(online));
      assertTrue(rings.haveEnded(online));

      Libc.ioctl(rings.all()[0].fd(), IOC_ENABLE, 0);
      assertFalse(rings.haveEnded(online));
    }
  }

  private int clock(NativeBuffer attr, int cpu) {
    PerfAttr.ofCpu(
        attr.bytes(),
        false,
        1_000_000_000L,
        PerfSizes.MIN_STACK_BYTES,
        PerfRegisters.of(calls.architecture()),
        page / 4);
    return calls.perfEventOpen(attr.address(), -1, cpu, -1, PerfEvents.FLAG_FD_CLOEXEC);
  }
}
