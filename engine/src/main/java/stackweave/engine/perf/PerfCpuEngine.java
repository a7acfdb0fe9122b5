package stackweave.engine.perf;

import java.util.BitSet;
import java.util.SplittableRandom;
import stackweave.cpu.PerfRegisters;
import stackweave.engine.CpuSet;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.EngineSink;
import stackweave.engine.EngineState;
import stackweave.engine.EngineStatistics;
import stackweave.engine.RefusalText;
import stackweave.engine.bpf.Bpf;
import stackweave.engine.perf.filter.OlderParts;
import stackweave.engine.perf.filter.ProcessFilter;
import stackweave.jfr.control.EngineKind;
import stackweave.linux.Errno;
import stackweave.linux.GuardedCall;
import stackweave.linux.Libc;
import stackweave.linux.SystemCalls;
import stackweave.unwind.snapshot.OlderCopy;

/**
 * Samples by one perf event for each CPU: after each interval of a CPU's time the kernel writes the
 * registers and a copy of the stack of the thread that runs there, if it is one of this process,
 * into the CPU's ring. Threads have no events, so neither switches between them nor their starts
 * cost anything. Other processes are kept out by a {@link ProcessFilter}. For the drain thread,
 * except {@link #wake}.
 */
public final class PerfCpuEngine extends PerfEngine {
  private static final EngineKind KIND = EngineKind.PERF;
  private static final long IOC_ENABLE = 0x2400;
  private static final long IOC_DISABLE = 0x2401;

  /**
   * The least and the most by which a CPU's period differs from the interval, as a share of it, so
   * that periodic work does not run in step with it.
   */
  private static final double LEAST_DEVIATION = 0.01;

  private static final double MOST_DEVIATION = 0.05;

  private static final String NOTE_WITHOUT_TICKS =
      "what runs on CPUs that are to run without ticks (nohz_full) is not sampled";

  private final BitSet withoutTicks;
  private final int[] cpus;
  private final String note;
  private final long[] periods;
  private final EndedThreads endedThreads;

  private ProcessFilter filter;
  private boolean countsLost;
  private CpuRecords records;

  private PerfCpuEngine(
      EngineConfig config, PerfBudget budget, SystemCalls calls, BitSet withoutTicks) {
    super(KIND, config, budget, calls);
    this.withoutTicks = withoutTicks;
    int[] all = CpuSet.presentOf(process);
    this.cpus = CpuSet.without(withoutTicks, all);
    this.note = cpus.length < all.length ? NOTE_WITHOUT_TICKS : "";
    this.periods = periods(cpus, config.intervalNanos(), new SplittableRandom());
    this.endedThreads = new EndedThreads(calls, process);
  }

  /**
   * Starts on the calling thread, which is not sampled.
   *
   * @throws EngineRefusedException if it can't run; nothing is held then
   */
  public static PerfCpuEngine start(EngineConfig config, PerfBudget budget)
      throws EngineRefusedException {
    SystemCalls calls =
        SystemCalls.current().orElseThrow(() -> RefusalText.PERF_ARCHITECTURE.of(KIND, 0));
    PerfCpuEngine engine = new PerfCpuEngine(config, budget, calls, CpuSet.withoutTicks());
    try {
      engine.open();
      return engine;
    } catch (EngineRefusedException | RuntimeException | Error e) {
      engine.close();
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

  private void open() throws EngineRefusedException {
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
    openWakeup();
    boolean mayLoad = config.callPolicy().allows(GuardedCall.BPF);
    if (mayLoad) {
      // Without memory for such rings, stacks are cut, and their older part is read later.
      int bytes = PerfSizes.stackBytes(ringBytes, config.intervalNanos(), config.stackBytes());
      filter = ProcessFilter.open(calls, drainTid, cpus.length, config.intervalNanos(), bytes);
    }
    if (filter == null || !filter.add(pid)) {
      throw PerfRefusals.noFilter(mayLoad);
    }
    openRings(ringBytes);
    for (PerfRing ring : rings.all()) {
      if (!Bpf.attach(ring.fd(), filter.program())) {
        throw PerfRefusals.noFilter(true); // a kernel without CONFIG_BPF_EVENTS
      }
    }
    records = new CpuRecords(pid, drainTid, periods, calls.architecture(), endedThreads, filter);
    merge(records);
    begun();
    control(IOC_ENABLE);
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
              stackBytes = PerfSizes.stackBytes(bytes, config.intervalNanos(), config.stackBytes());
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

  private void control(long request) {
    for (PerfRing ring : rings.all()) {
      Libc.ioctl(ring.fd(), request, 0);
    }
  }

  /** Null if older parts of stacks are not copied. */
  private OlderParts older() {
    return filter.older();
  }

  /** Whether older parts of stacks were copied lately: their ring has room for fewer samples. */
  private boolean areOlderPartsTaken() {
    return older() != null && older().areTaken();
  }

  @Override
  int busyMillis() {
    int busy = PerfSizes.busyMillis(rings.bytes(), config.intervalNanos(), stackBytes);
    if (!areOlderPartsTaken()) {
      return busy;
    }
    int share = older().ringBytes() / cpus.length;
    return Math.min(
        busy, PerfSizes.busyMillis(share, config.intervalNanos(), OlderCopy.MOST_BYTES));
  }

  @Override
  public EngineState state() {
    return !toBeReplaced && areOlderPartsTaken() ? EngineState.DRAIN_SOON : super.state();
  }

  @Override
  int deliver(long untilTimeNanos, EngineSink sink) {
    int count = 0;
    if (endedThreads.isToBeTold() && endedThreads.time() <= untilTimeNanos) {
      // In the order of time, since an id may be reused from then on.
      boolean complete = stopped || merge.isPast(endedThreads.time());
      count = merge.drain(endedThreads.time(), stopped, records);
      if (!complete) {
        return count;
      }
      endedThreads.tell(sink);
    }
    count += merge.drain(untilTimeNanos, stopped, records);
    endedThreads.look();
    return count;
  }

  /** An event may also belong to a CPU that no thread may use any more, or that was offline. */
  @Override
  boolean isOutgrown() {
    return rings.isMisplaced(process, withoutTicks, true);
  }

  @Override
  void end() {
    control(IOC_DISABLE);
    readLost();
  }

  /** Reads the exact number of lost records, if the kernel has it. */
  private void readLost() {
    long sum = 0;
    for (PerfRing ring : rings.all()) {
      if (countsLost && Libc.read(ring.fd(), scratch.address(), 16) == 16) {
        sum += scratch.bytes().getLong(8);
      }
    }
    lost = Math.max(sum, records.lost());
  }

  @Override
  public EngineStatistics statistics() {
    if (!stopped) {
      readLost();
    }
    return statistics(1 + filter.descriptors())
        .set(EngineFigure.CPU_USED, cpuUsed())
        .set(EngineFigure.CPU_COUNTED, records.coveredNanos() + lost * config.intervalNanos())
        .set(EngineFigure.CPU_COVERED, records.coveredNanos());
  }

  @Override
  public String note() {
    String refused = filter.note();
    return note + (note.isEmpty() || refused.isEmpty() ? "" : "; ") + refused;
  }

  @Override
  void closeParts() {
    if (filter != null) {
      filter.close();
    }
    endedThreads.close();
  }
}
