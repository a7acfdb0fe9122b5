package stackweave.engine.perf;

import java.util.Arrays;
import java.util.SplittableRandom;
import stackweave.cpu.PerfRegisters;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.RefusalText;
import stackweave.engine.bpf.Bpf;
import stackweave.engine.perf.event.EventRefusals;
import stackweave.engine.perf.event.KernelEvent;
import stackweave.engine.perf.event.KernelEvents;
import stackweave.engine.perf.filter.ProcessFilter;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SampledEvent;
import stackweave.linux.Errno;
import stackweave.linux.GuardedCall;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;
import stackweave.unwind.snapshot.OlderCopy;

/**
 * A perf event with a ring for each CPU: after each interval of a CPU's time the kernel writes the
 * registers and a copy of the stack of the thread that runs there into the CPU's ring, if a {@link
 * ProcessFilter} lets its process pass. Other events that the kernel or the processor counts are
 * sampled likewise. Used by the engines of CPUs, on one thread at a time.
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

  /**
   * Time between two events other than CPU time that the rings have room for while they wait, in
   * ns. So often older parts of stacks are not copied.
   */
  private static final long EVENT_NANOS = 50_000;

  /** Stands for no program. */
  private static final int NONE = -1;

  private final SystemCalls calls;
  private final SampledEvent event;

  /** Null for CPU time. */
  private final KernelEvent kernelEvent;

  private final long intervalNanos;
  private final int mostStackBytes;
  private final int[] cpus;

  /**
   * Whether samples of all processes are copied where no program may decide. That is left to a
   * command that samples another process, for a time: a JVM does not have all others pay for it.
   */
  private final boolean mayBeUnfiltered;

  private final long[] periods;
  private final NativeBuffer attr = NativeBuffer.allocate(PerfAttr.BYTES);
  private final NativeBuffer scratch = NativeBuffer.allocate(16);

  private boolean countsLost;
  private int stackBytes;
  private ProcessFilter filter;
  private PerfRings rings = PerfRings.none();

  private CpuEvents(SystemCalls calls, EngineConfig config, KernelEvent kernelEvent, int[] cpus) {
    this.calls = calls;
    this.event = config.event();
    this.kernelEvent = kernelEvent;
    this.cpus = cpus;
    this.mayBeUnfiltered = event.isCpu() && !config.process().isOwn();
    if (kernelEvent == null) {
      this.intervalNanos = config.intervalNanos();
      this.mostStackBytes = config.stackBytes();
      this.periods = periods(cpus, intervalNanos, new SplittableRandom());
    } else {
      this.intervalNanos = EVENT_NANOS;
      // Events come in bursts: a ring is better used for many samples than for deep ones.
      this.mostStackBytes = Math.min(config.stackBytes(), PerfSizes.MIN_STACK_BYTES);
      this.periods = new long[largest(cpus) + 1];
      Arrays.fill(periods, event.interval());
    }
  }

  /**
   * Opens them; {@link #enable} begins to sample.
   *
   * @param config has the event, the interval, and the most bytes of a stack
   * @param cpus those that are offline get no event
   * @param exceptTid a thread that is not sampled
   * @throws EngineRefusedException if they can't be had; nothing is held then
   */
  static CpuEvents open(SystemCalls calls, EngineConfig config, int[] cpus, int exceptTid)
      throws EngineRefusedException {
    return open(calls, config, cpus, exceptTid, NONE);
  }

  /**
   * As {@link #open(SystemCalls, EngineConfig, int[], int)}.
   *
   * @param program decides which samples are taken instead of a {@link ProcessFilter}; −1 for none
   */
  static CpuEvents open(
      SystemCalls calls, EngineConfig config, int[] cpus, int exceptTid, int program)
      throws EngineRefusedException {
    KernelEvent kernelEvent =
        config.event().isCpu() ? null : KernelEvents.find(KIND, config.event(), config.process());
    CpuEvents events = new CpuEvents(calls, config, kernelEvent, cpus);
    try {
      events.open(config.callPolicy().allows(GuardedCall.BPF), exceptTid, program);
      return events;
    } catch (EngineRefusedException | RuntimeException | Error e) {
      events.close();
      throw e;
    }
  }

  /** A period for each CPU, by its number. */
  static long[] periods(int[] cpus, long intervalNanos, SplittableRandom random) {
    long[] periods = new long[largest(cpus) + 1];
    for (int cpu : cpus) {
      double deviation = LEAST_DEVIATION + (MOST_DEVIATION - LEAST_DEVIATION) * random.nextDouble();
      periods[cpu] =
          Math.round(intervalNanos * (random.nextBoolean() ? 1 + deviation : 1 - deviation));
    }
    return periods;
  }

  private static int largest(int[] cpus) {
    int most = 0;
    for (int cpu : cpus) {
      most = Math.max(most, cpu);
    }
    return most;
  }

  private void open(boolean mayLoad, int exceptTid, int program) throws EngineRefusedException {
    if (cpus.length == 0) {
      throw RefusalText.PERF_WITHOUT_TICKS.of(KIND, 0);
    }
    int mostBytes = kernelEvent == null ? PerfSizes.RING_BYTES : PerfSizes.EVENT_RING_BYTES;
    int ringBytes = PerfSizes.ringBytes(cpus.length, mostBytes);
    if (ringBytes == 0) {
      throw RefusalText.PERF_TOO_MANY_CPUS.of(KIND, 0, cpus.length);
    }
    if (PerfEvents.fileDescriptorBudget(scratch) < cpus.length) {
      throw PerfRefusals.outOfDescriptors(KIND, Errno.EMFILE);
    }
    probe();
    if (mayLoad && program == NONE) {
      // Without memory for such rings, stacks are cut, and their older part is read later.
      int bytes = PerfSizes.stackBytes(ringBytes, intervalNanos, mostStackBytes);
      filter = ProcessFilter.open(calls, exceptTid, cpus.length, intervalNanos, bytes);
    }
    int filters = filter == null ? program : filter.program();
    if (filters == NONE && !mayBeUnfiltered) {
      throw PerfRefusals.noFilter(mayLoad);
    }
    openRings(ringBytes);
    for (PerfRing ring : rings.all()) {
      if (filters != NONE && !Bpf.attach(ring.fd(), filters)) {
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
    if (kernelEvent != null) {
      throw EventRefusals.open(event, PerfRefusals.open(KIND, true, Libc.errno()).refusal());
    }
    if (Libc.errno() != Errno.ENODEV) { // that CPU is offline
      throw PerfRefusals.open(KIND, true, Libc.errno());
    }
  }

  private void openRings(int ringBytes) throws EngineRefusedException {
    rings =
        PerfRings.open(
            new PerfRings.Opener() {
              @Override
              public int open(int cpu, int bytes) {
                stackBytes = PerfSizes.stackBytes(bytes, intervalNanos, mostStackBytes);
                return CpuEvents.this.open(cpu, bytes);
              }
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
    if (kernelEvent != null) {
      PerfAttr.eventOfCpu(attr.bytes(), kernelEvent, event.interval());
    }
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

  /** Decides which processes are sampled; null if another program does, or none may. */
  ProcessFilter filter() {
    return filter;
  }

  PerfRings rings() {
    return rings;
  }

  /** The period of each CPU's event by the CPU's number, in ns or events. */
  long[] periods() {
    return periods;
  }

  /** The most bytes of a stack that are copied into a ring. */
  int stackBytes() {
    return stackBytes;
  }

  /** Whether older parts of stacks were copied lately: their ring has room for fewer samples. */
  boolean areOlderPartsTaken() {
    return filter != null && filter.older() != null && filter.older().areTaken();
  }

  /** How long samples may stay in the rings while they come, in ms. */
  int busyMillis() {
    int busy = PerfSizes.busyMillis(rings.bytes(), intervalNanos, stackBytes);
    if (!areOlderPartsTaken()) {
      return busy;
    }
    int share = filter.older().ringBytes() / cpus.length;
    return Math.min(busy, PerfSizes.busyMillis(share, intervalNanos, OlderCopy.MOST_BYTES));
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
    if (kernelEvent != null) {
      kernelEvent.close();
    }
    attr.close();
    scratch.close();
  }
}
