package stackweave.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.Tasks;
import stackweave.maps.proc.PlainFiles;

/** The CPUs that the threads of a process may run on. Thread-safe. */
public final class CpuSet {
  /** Bytes of an affinity mask for 8,192 CPUs, the most that Linux can be built for. */
  private static final int MASK_BYTES = 1024;

  private static final int SC_NPROCESSORS_CONF = 83;

  private static final String ONLINE = "/sys/devices/system/cpu/online";

  private static final String WITHOUT_TICKS = "/sys/devices/system/cpu/nohz_full";

  /** CPUs allowed at any time; one that is taken away often comes back. Guarded by the class. */
  private static final BitSet EVER = new BitSet();

  private CpuSet() {}

  /**
   * The present union over all threads of a process; all CPUs of the machine if the kernel does not
   * say. In the order of their numbers.
   */
  public static int[] presentOf(SampledProcess process) {
    BitSet present = present(process);
    return present.isEmpty() ? toArray(ofMachine()) : toArray(present);
  }

  /**
   * The union over all threads of this process and all calls of this method: in a container with 4
   * of 64 CPUs no events are needed on the other 60. It grows when a thread may use another CPU and
   * never shrinks.
   */
  public static synchronized int[] ofProcess() {
    EVER.or(present(SampledProcess.OWN));
    if (EVER.isEmpty()) {
      EVER.or(ofMachine());
    }
    return toArray(EVER);
  }

  /** The CPUs that are online at the moment. */
  public static BitSet online() {
    try {
      BitSet online = parse(PlainFiles.text(ONLINE, StandardCharsets.US_ASCII).strip());
      return online.isEmpty() ? ofMachine() : online;
    } catch (IOException e) {
      return ofMachine();
    }
  }

  private static BitSet ofMachine() {
    BitSet cpus = new BitSet();
    cpus.set(0, Math.max(1, (int) Libc.sysconf(SC_NPROCESSORS_CONF)));
    return cpus;
  }

  /** Their numbers, in order. */
  public static int[] toArray(BitSet set) {
    int[] cpus = new int[set.cardinality()];
    // Not by a stream: to link the first takes milliseconds, and the first sample waits.
    for (int i = 0, cpu = set.nextSetBit(0); cpu >= 0; cpu = set.nextSetBit(cpu + 1)) {
      cpus[i++] = cpu;
    }
    return cpus;
  }

  /**
   * The CPUs on which the kernel has no ticks while a single task runs (nohz_full, in
   * Documentation/timers/no_hz.rst). An event's timer would interrupt that task.
   */
  public static BitSet withoutTicks() {
    try {
      return parse(PlainFiles.text(WITHOUT_TICKS, StandardCharsets.US_ASCII).strip());
    } catch (IOException e) {
      return new BitSet(); // a kernel that has no such CPUs
    }
  }

  /** The CPUs that are not among the others. */
  public static int[] without(BitSet others, int[] cpus) {
    int[] left = new int[cpus.length];
    int count = 0;
    for (int cpu : cpus) {
      if (!others.get(cpu)) {
        left[count++] = cpu;
      }
    }
    return Arrays.copyOf(left, count);
  }

  /**
   * Parses a list like {@code 1-3,5} (cpuset(7)); other text, such as {@code (null)}, has no CPUs.
   */
  static BitSet parse(String list) {
    BitSet cpus = new BitSet();
    for (String part : list.split(",")) {
      if (part.matches("\\d{1,5}(-\\d{1,5})?")) {
        String[] ends = part.split("-");
        cpus.set(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]) + 1);
      }
    }
    return cpus;
  }

  /** The present union over all threads of a process, without offline CPUs. */
  public static BitSet present(SampledProcess process) {
    BitSet cpus = new BitSet();
    try (NativeBuffer mask = NativeBuffer.allocate(MASK_BYTES)) {
      for (int tid : Tasks.list(process)) {
        if (Libc.sched_getaffinity(tid, MASK_BYTES, mask.address()) >= 0) {
          cpus.or(BitSet.valueOf(mask.bytes()));
        }
      }
    }
    return cpus;
  }
}
