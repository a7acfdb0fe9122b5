package stackweave.agent.engine;

import java.util.BitSet;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.NativeBuffer;
import stackweave.agent.linux.Tasks;

/** The CPUs that the threads of this process may run on. Thread-safe. */
public final class CpuSet {
  /** Bytes of an affinity mask for 8,192 CPUs, the most that Linux can be built for. */
  private static final int MASK_BYTES = 1024;

  private static final int SC_NPROCESSORS_CONF = 83;

  /** CPUs allowed at any time; one that is taken away often comes back. Guarded by the class. */
  private static final BitSet EVER = new BitSet();

  private CpuSet() {}

  /**
   * The union over all threads and all calls so far: in a container with 4 of 64 CPUs no events are
   * needed on the other 60. It grows when a thread may use another CPU and never shrinks.
   */
  public static synchronized int[] ofProcess() {
    EVER.or(present());
    if (EVER.isEmpty()) {
      EVER.set(0, Math.max(1, (int) Libc.sysconf(SC_NPROCESSORS_CONF)));
    }
    int[] cpus = new int[EVER.cardinality()];
    // Not by a stream: to link the first takes milliseconds, and the first sample waits.
    for (int i = 0, cpu = EVER.nextSetBit(0); cpu >= 0; cpu = EVER.nextSetBit(cpu + 1)) {
      cpus[i++] = cpu;
    }
    return cpus;
  }

  /** The present union over all threads, without offline CPUs. */
  public static BitSet present() {
    BitSet cpus = new BitSet();
    try (NativeBuffer mask = NativeBuffer.allocate(MASK_BYTES)) {
      for (int tid : Tasks.list()) {
        if (Libc.sched_getaffinity(tid, MASK_BYTES, mask.address()) >= 0) {
          cpus.or(BitSet.valueOf(mask.bytes()));
        }
      }
    }
    return cpus;
  }
}
