package stackweave.agent.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.BitSet;
import org.junit.jupiter.api.Test;
import stackweave.agent.engine.CpuSet;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.NativeBuffer;
import stackweave.agent.linux.SystemCalls;

/**
 * Which CPUs' events have ended, by the kernel's counts. An event that is disabled stands for one
 * whose CPU has been offline: neither counts any more.
 */
class CpuEventLifeIT {
  private static final long IOC_ENABLE = 0x2400;
  private static final long IOC_DISABLE = 0x2401;

  private final SystemCalls calls = SystemCalls.current().orElseThrow();
  private final int page = (int) Libc.sysconf(Libc.SC_PAGESIZE);

  @Test
  void eventsThatDoNotCountHaveEnded() throws Exception {
    try (NativeBuffer attr = NativeBuffer.allocate(PerfAttr.BYTES);
        PerfRings rings = PerfRings.open((cpu, bytes) -> clock(attr, cpu), cpus(), page, page)) {
      assertEquals(0, rings.errno());
      PerfRing first = rings.all()[0];
      BitSet ofFirst = new BitSet();
      ofFirst.set(first.cpu());
      try (CpuEventLife life = CpuEventLife.of(rings.all(), null)) {
        assertEquals(new BitSet(), life.ended());
        assertEquals(new BitSet(), life.ended());

        Libc.ioctl(first.fd(), IOC_DISABLE, 0);
        assertEquals(new BitSet(), life.ended(), "it counted up to then");
        assertEquals(ofFirst, life.ended());
        assertEquals(ofFirst, life.ended());

        Libc.ioctl(first.fd(), IOC_ENABLE, 0);
        assertEquals(new BitSet(), life.ended());
      }
    }
  }

  @Test
  void eventsOfAGroupAreWatchedByOthersThatCountAllTheTime() throws Exception {
    try (NativeBuffer attr = NativeBuffer.allocate(PerfAttr.BYTES);
        PerfRings rings = PerfRings.open((cpu, bytes) -> clock(attr, cpu), cpus(), page, page)) {
      assertEquals(0, rings.errno());
      for (PerfRing ring : rings.all()) {
        Libc.ioctl(ring.fd(), IOC_DISABLE, 0); // as if no thread of the group ran
      }
      try (CpuEventLife life = CpuEventLife.of(rings.all(), cpu -> clock(attr, cpu))) {
        assertEquals(rings.count(), life.fileDescriptors());
        assertEquals(new BitSet(), life.ended());
        assertEquals(new BitSet(), life.ended());
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
