package stackweave.engine.perf;

import java.util.SplittableRandom;
import stackweave.cpu.PerfRegisters;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.RefusalText;
import stackweave.engine.bpf.Bpf;
import stackweave.engine.perf.filter.OlderParts;
import stackweave.engine.perf.filter.ProcessFilter;
import stackweave.jfr.control.EngineKind;
import stackweave.linux.Errno;
import stackweave.linux.GuardedCall;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;
import stackweave.unwind.snapshot.OlderCopy;

/**
 * A perf event with a ring for each CPU: after each interval of a CPU's time the kernel writes the
 * registers and a copy of the stack of the thread that runs there into the CPU's ring, if a {@link
 * ProcessFilter} lets its process pass. Used by the engines of CPUs, on one thread at a time.
 */
final class CpuEvents implements AutoCloseable {
  private static final EngineKind KIND = EngineKind.PERF;
  private static final long IOC_ENABLE = 0x2400;
  private static final long IOC_DISABLE = 0x2401;

  /**
   * The least and the most by which a CPU's period differs from the interval, as a share of it, so
   * that periodic work does not run in step with it.
   */
  private static final double LEAST_DEVIATION = 0.01;

  private static final double MOST_DEVIATION = 0.05;

  private final SystemCalls calls;
  private final long intervalNanos;
  private final int mostStackBytes;
  private final int[] cpus;
  private final long[] periods;
  private final NativeBuffer attr = NativeBuffer.allocate(PerfAttr.BYTES);
  private final NativeBuffer scratch = NativeBuffer.allocate(16);

  private boolean countsLost;
  private int stackBytes;
  private ProcessFilter filter;
  private PerfRings rings = PerfRings.none();

  private CpuEvents(SystemCalls calls, EngineConfig config, int[] cpus) {
    this.calls = calls;
    this.intervalNanos = config.intervalNanos();
    this.mostStackBytes = config.stackBytes();
    this.cpus = cpus;
    this.periods = periods(cpus, intervalNanos, new SplittableRandom());
  }

  /**
   * Opens them; {@link #enable} begins to sample.
   *
   * @param config has the interval, and the most bytes of a stack
   * @param cpus those that are offline get no event
   * @param exceptTid a thread that is not sampled
   * @throws EngineRefusedException if they can't be had; nothing is held then
   */
  static CpuEvents open(SystemCalls calls, EngineConfig config, int[] cpus, int exceptTid)
      throws EngineRefusedException {
    CpuEvents events = new CpuEvents(calls, config, cpus);
    try {
      events.open(config.callPolicy().allows(GuardedCall.BPF), exceptTid);
      return events;
    } catch (EngineRefusedException | RuntimeException | Error e) {
      events.close();
      throw e;
    }
  }

  /** A period for each CPU, by its number. */
  static long[] periods(int[] cpus, long intervalNanos, SplittableRandom random) {
    int most = 0;
    for (int cpu : cpus) {
      most = Math.max(most, cpu);
    }
    long[] periods = new long[most + 1];
    for (int cpu : cpus) {
      double deviation = LEAST_DEVIATION + (MOST_DEVIATION - LEAST_DEVIATION) * random.nextDouble();
      periods[cpu] =
          Math.round(intervalNanos * (random.nextBoolean() ? 1 + deviation : 1 - deviation));
    }
    return periods;
  }

  private void open(boolean mayLoad, int exceptTid) throws EngineRefusedException {
    if (cpus.length == 0) {
      throw RefusalText.PERF_WITHOUT_TICKS.of(KIND, 0);
    }
    int ringBytes = PerfSizes.ringBytes(cpus.length, PerfSizes.RING_BYTES);
    if (ringBytes == 0) {
      throw RefusalText.PERF_TOO_MANY_CPUS.of(KIND, 0, cpus.length);
    }
    if (PerfEvents.fileDescriptorBudget(scratch) < cpus.length) {
      throw PerfRefusals.outOfDescriptors(KIND, Errno.EMFILE);
    }
    probe();
    if (mayLoad) {
      // Without memory for such rings, stacks are cut, and their older part is read later.
      int bytes = PerfSizes.stackBytes(ringBytes, intervalNanos, mostStackBytes);
      filter = ProcessFilter.open(calls, exceptTid, cpus.length, intervalNanos, bytes);
    }
    if (filter == null) {
      throw PerfRefusals.noFilter(mayLoad);
    }
    openRings(ringBytes);
    for (PerfRing ring : rings.all()) {
      if (!Bpf.attach(ring.fd(), filter.program())) {
        throw PerfRefusals.noFilter(true); // a kernel without CONFIG_BPF_EVENTS
      }
    }
  }

  /** Opens an event to find out whether that is permitted, and which features the kernel has. */
  private void probe() throws EngineRefusedException {
    for (boolean counts : new boolean[] {true, false}) {
      countsLost = counts;
      stackBytes = PerfSizes.MIN_STACK_BYTES;
      int fd = open(cpus[0], PerfSizes.MIN_RING_BYTES);
      if (fd >= 0) {
        Libc.close(fd);
        return;
      }
      if (Libc.errno() != Errno.EINVAL) {
        break;
      }
    }
    if (Libc.errno() != Errno.ENODEV) { // that CPU is offline
      throw PerfRefusals.open(KIND, true, Libc.errno());
    }
  }

  private void openRings(int ringBytes) throws EngineRefusedException {
    rings =
        PerfRings.open(
            (cpu, bytes) -> {
              stackBytes = PerfSizes.stackBytes(bytes, intervalNanos, mostStackBytes);
              return open(cpu, bytes);
            },
            cpus,
            ringBytes,
            PerfSizes.MIN_RING_BYTES);
    rings.check(KIND, true, cpus.length, PerfSizes.MIN_RING_BYTES);
  }

  private int open(int cpu, int ringBytes) {
    PerfAttr.ofCpu(
        attr.bytes(),
        countsLost,
        periods[cpu],
        stackBytes,
        PerfRegisters.of(calls.architecture()),
        ringBytes / 4);
    return calls.perfEventOpen(attr.address(), -1, cpu, -1, PerfEvents.FLAG_FD_CLOEXEC);
  }

  void enable() {
    control(IOC_ENABLE);
  }

  void disable() {
    control(IOC_DISABLE);
  }

  private void control(long request) {
    for (PerfRing ring : rings.all()) {
      Libc.ioctl(ring.fd(), request, 0);
    }
  }

  /** Decides which processes are sampled. */
  ProcessFilter filter() {
    return filter;
  }

  PerfRings rings() {
    return rings;
  }

  /** The period of each CPU's event by the CPU's number, in ns. */
  long[] periods() {
    return periods;
  }

  /** The most bytes of a stack that are copied into a ring. */
  int stackBytes() {
    return stackBytes;
  }

  /** Whether older parts of stacks were copied lately: their ring has room for fewer samples. */
  boolean areOlderPartsTaken() {
    return filter.older() != null && filter.older().areTaken();
  }

  /** How long samples may stay in the rings while they come, in ms. */
  int busyMillis() {
    int busy = PerfSizes.busyMillis(rings.bytes(), intervalNanos, stackBytes);
    OlderParts older = filter.older();
    return areOlderPartsTaken()
        ? Math.min(
            busy,
            PerfSizes.busyMillis(
                older.ringBytes() / cpus.length, intervalNanos, OlderCopy.MOST_BYTES))
        : busy;
  }

  /** Reads the exact number of records that found no room; 0 if the kernel does not count them. */
  long lost() {
    long sum = 0;
    for (PerfRing ring : rings.all()) {
      if (countsLost && Libc.read(ring.fd(), scratch.address(), 16) == 16) {
        sum += scratch.bytes().getLong(8);
      }
    }
    return sum;
  }

  /** Closes the rings and the program. */
  @Override
  public void close() {
    rings.close();
    if (filter != null) {
      filter.close();
    }
    attr.close();
    scratch.close();
  }
}
