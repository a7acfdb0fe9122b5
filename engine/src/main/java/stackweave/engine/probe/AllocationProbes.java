package stackweave.engine.probe;

import com.sun.jna.Native;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import stackweave.engine.KernelClock;
import stackweave.engine.bpf.BpfRing;
import stackweave.engine.bpf.BpfValue;
import stackweave.engine.bpf.PidNamespace;
import stackweave.engine.perf.event.KernelEvents;
import stackweave.engine.perf.event.UprobeCost;
import stackweave.engine.probe.AllocationProgram.Place;
import stackweave.engine.probe.AllocatorFunctions.Function;
import stackweave.engine.probe.AllocatorFunctions.Probe;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.CallPolicy;
import stackweave.linux.CpuTime;
import stackweave.linux.Errno;
import stackweave.linux.GuardedCall;
import stackweave.linux.Libc;
import stackweave.linux.SystemCalls;
import stackweave.linux.Tasks;
import stackweave.unwind.Architecture;
import stackweave.unwind.Registers;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Probes at malloc, calloc, realloc and free of the C library in a process: breakpoints that the
 * kernel sets and removes (uprobes, by perf_event_open), each with a program that runs in the
 * kernel. Return addresses get none. First they only count; if calls are too frequent, they are
 * removed. For the drain thread, whose own calls are ignored if it is of that process.
 */
public final class AllocationProbes implements AutoCloseable {
  /** Calls per second of all four functions above which probes cost too much. */
  private static final int MAX_CALLS_A_SECOND = 20_000;

  /**
   * The part of the process's CPU time that probes may take. Probes slow down a thread that does
   * little else so much that its calls seem to be rare, all the more on a busy machine.
   */
  private static final double MAX_CPU_SHARE = 0.5;

  /** With fewer calls per second, that part does not matter. */
  private static final int MIN_CALLS_A_SECOND = 2_000;

  private static final double SECOND = 1e9;

  private static final String NAMESPACE = "/proc/self/ns/pid";
  private static final long COUNT_NANOS = 100_000_000L;

  /** How long one probe first counts calls of malloc alone. */
  private static final long FIRST_COUNT_NANOS = 25_000_000L;

  /** Size of a block that is allocated and freed to measure the cost of a probe. */
  private static final int COST_BYTES = 64;

  /** One call allocates the block, one frees it. */
  private static final int CALLS_OF_BLOCK = 2;

  /** One call of each thread may be under way when counts are compared, at begin and end. */
  private static final int CALLS_UNDER_WAY = 2;

  private static final int RING_BYTES = 16 * 1024 * 1024;
  private static final int MIN_RING_BYTES = 1024 * 1024;

  private final SystemCalls calls;
  private final List<Probe> probes;
  private final Uprobes uprobes;
  private final SampledProcess process;
  private final CpuTime cpuTime;
  private final KernelClock clock = new KernelClock();
  private final StackSnapshot snapshot = new StackSnapshot(Architecture.X86_64);
  private BpfValue value;
  private BpfRing ring;
  private AllocationSink sink;

  /** CPU time of a probe per call: a microsecond, in some virtual machines up to 20. */
  private double probeNanos;

  /** Probes can't be placed; the message is a line for users. */
  public static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    RefusedException(String reason) {
      super(reason, null, false, false);
    }
  }

  /** Probes can't be placed now, but perhaps later; the message is a line for users. */
  public static final class NotNowException extends Exception {
    private static final long serialVersionUID = 1;

    NotNowException(String reason) {
      super(reason, null, false, false);
    }
  }

  private AllocationProbes(
      SystemCalls calls, SampledProcess process, AllocatorFunctions functions) {
    this.calls = calls;
    this.process = process;
    this.cpuTime = new CpuTime(process);
    this.probes = functions.probes();
    this.uprobes = new Uprobes(calls, functions.path(), process);
  }

  /**
   * Counts calls for a tenth of a second on the calling thread, and then begins. First there is
   * only one probe: if calls are too frequent, the others are not placed.
   *
   * @param policy which system calls may be made
   * @param process whose calls are met
   * @param shift blocks of less than two to this power are followed in proportion to their size
   * @throws RefusedException if that is not possible; no probe is left then
   * @throws NotNowException if calls are too frequent, or some seem not to return; no probe is left
   *     then
   */
  public static AllocationProbes open(CallPolicy policy, SampledProcess process, int shift)
      throws RefusedException, NotNowException {
    SystemCalls calls = SystemCalls.current().orElse(null);
    if (calls == null || calls.architecture() != Architecture.X86_64) {
      throw new RefusedException("where malloc returns is known on x86-64 alone");
    }
    for (GuardedCall call : List.of(GuardedCall.PERF_EVENT_OPEN, GuardedCall.BPF)) {
      if (!policy.allows(call)) {
        throw new RefusedException(call.call() + " " + call.notTried());
      }
    }
    AllocationProbes opened =
        new AllocationProbes(calls, process, AllocatorFunctions.find(process));
    try {
      opened.createMaps(shift);
      double without = opened.blockNanos();
      opened.place(0, 1);
      opened.probeNanos = opened.probeNanos(without);
      opened.countFirst();
      opened.place(1, opened.probes.size());
      opened.probeNanos = opened.probeNanos(without);
      opened.count();
      opened.value.set(AllocationProgram.ENABLED, 1);
      return opened;
    } catch (RefusedException | NotNowException | RuntimeException | Error e) {
      opened.close();
      throw e;
    }
  }

  private void createMaps(int shift) throws RefusedException {
    value = BpfValue.open(calls, AllocationProgram.VALUE_BYTES);
    ring = value == null ? null : BpfRing.open(calls, RING_BYTES, MIN_RING_BYTES);
    if (ring == null) {
      throw refused("bpf", Libc.errno());
    }
    value.set(AllocationProgram.IGNORED_THREAD, process.isOwn() ? calls.gettid() : 0);
    value.set(AllocationProgram.SHIFT, shift);
    value.set(AllocationProgram.FIRST_SHIFT, shift);
  }

  private static RefusedException refused(String call, int errno) {
    String why =
        errno == Errno.EPERM || errno == Errno.EACCES
            ? "it needs root, or CAP_BPF and CAP_PERFMON"
            : errno == Errno.EINVAL
                ? "it needs Linux 5.8"
                : errno == Errno.ENOENT ? "this kernel has no uprobes" : "the kernel refused";
    return new RefusedException(why + " (" + call + ") [" + Errno.name(errno) + "]");
  }

  /**
   * CPU time of a probe per call: of this process's own calls. In another process the probes are
   * not met here; there it is that of a probe that only counts.
   *
   * @param without of a block without probes
   */
  private double probeNanos(double without) {
    return process.isOwn()
        ? Math.max(0, blockNanos() - without) / CALLS_OF_BLOCK
        : UprobeCost.nanos(calls, KernelEvents.uprobeType());
  }

  /** CPU time to allocate and free a block, in ns. */
  private double blockNanos() {
    return UprobeCost.callNanos(cpuTime, () -> Native.free(Native.malloc(COST_BYTES)));
  }

  /** Counts calls of malloc by the first probe, and assumes as many of the other functions. */
  private void countFirst() throws NotNowException {
    long first = counts()[0];
    awaitFewCalls(FIRST_COUNT_NANOS, () -> CALLS_OF_BLOCK * (counts()[0] - first));
  }

  /**
   * Waits for a time.
   *
   * @param calls their number since now
   * @throws NotNowException if they are too frequent, as soon as that is sure
   */
  private void awaitFewCalls(long periodNanos, LongSupplier calls) throws NotNowException {
    long begin = System.nanoTime();
    long cpuBefore = cpuTime.ofProcess();
    long most = MAX_CALLS_A_SECOND * periodNanos / 1_000_000_000L;
    long nanos;
    long count;
    do {
      Libc.poll(0, 0, 1);
      nanos = System.nanoTime() - begin;
      count = calls.getAsLong();
    } while (nanos < periodNanos && count <= most);
    String tooMany = tooMany(count, nanos, cpuTime.ofProcess() - cpuBefore);
    if (!tooMany.isEmpty()) {
      throw new NotNowException(tooMany);
    }
  }

  private void place(int from, int to) throws RefusedException {
    PidNamespace namespace;
    try {
      namespace = PidNamespace.own();
    } catch (IOException e) {
      throw new RefusedException(NAMESPACE + " can't be read");
    }
    for (int i = from; i < to; i++) {
      Probe probe = probes.get(i);
      int errno =
          uprobes.place(
              probe.offset(),
              AllocationProgram.of(probe.place(), i, value.fd(), ring.fd(), namespace));
      if (errno != 0) {
        throw refused("uprobe", errno);
      }
    }
  }

  /** Counts, and compares how often functions are entered and left. */
  private void count() throws RefusedException, NotNowException {
    long[] before = counts();
    awaitFewCalls(COUNT_NANOS, () -> calls(before));
    long[] now = counts();
    long mostApart = (long) CALLS_UNDER_WAY * Tasks.list(process).length;
    for (Function function : Function.values()) {
      long begun = 0;
      long ended = 0;
      for (int i = 0; i < now.length; i++) {
        if (probes.get(i).function() == function) {
          long more = now[i] - before[i];
          begun += probes.get(i).isEntry() ? more : 0;
          ended += probes.get(i).isEntry() ? 0 : more;
        }
      }
      long apart = Math.abs(begun - ended);
      if (function != Function.FREE && apart > mostApart && apart > begun / 50) {
        throw new NotNowException(
            function.name().toLowerCase(Locale.ROOT)
                + " of the C library was called "
                + begun
                + " times and returned "
                + ended
                + " times where it is known to return");
      }
    }
    for (int i = 0; i < probes.size(); i++) {
      if (probes.get(i).isForCount()) {
        uprobes.remove(i);
      }
    }
  }

  /** The message that calls are too frequent, with the cost of a probe here; otherwise empty. */
  private String tooMany(long calls, long nanos, long cpuNanos) {
    return tooMany(calls, nanos, cpuNanos, 1);
  }

  /** The same while probes are placed; for a short time {@code times} as many may pass. */
  public String tooMany(long calls, long nanos, long cpuNanos, int times) {
    return tooMany(calls, nanos, cpuNanos, probeNanos, times);
  }

  /**
   * The message that calls are too frequent.
   *
   * @param calls their number
   * @param nanos the time in which they were counted, in ns
   * @param cpuNanos the CPU time of the process in that time, in ns
   * @param probeNanos CPU time of a probe, in ns
   * @param times the factor by which they may exceed the limit; above 1 CPU time does not count
   * @return empty if they are rare enough
   */
  static String tooMany(long calls, long nanos, long cpuNanos, double probeNanos, int times) {
    double rate = calls * SECOND / Math.max(nanos, 1);
    double share = calls * probeNanos / Math.max(cpuNanos, 1);
    if (rate > (double) times * MAX_CALLS_A_SECOND) {
      return String.format(
          Locale.ROOT,
          "malloc, calloc, realloc and free are called %,.0f times a second; above %,d a probe at"
              + " each call would cost too much",
          rate,
          MAX_CALLS_A_SECOND);
    }
    if (times == 1 && rate > MIN_CALLS_A_SECOND && share > MAX_CPU_SHARE) {
      return String.format(
          Locale.ROOT,
          "malloc, calloc, realloc and free are called %,.0f times a second, and a probe at each"
              + " takes %.1f µs on this machine: %.0f %% of the process's CPU time; above %.0f it"
              + " would cost too much",
          rate,
          probeNanos / 1e3,
          100 * Math.min(1, share),
          100 * MAX_CPU_SHARE);
    }
    return "";
  }

  private long[] counts() {
    long[] counts = new long[probes.size()];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = value.get(AllocationProgram.COUNTS + 8 * i);
    }
    return counts;
  }

  private long calls(long[] before) {
    long sum = 0;
    for (int i = 0; i < probes.size(); i++) {
      if (isCall(probes.get(i))) {
        sum += value.get(AllocationProgram.COUNTS + 8 * i) - before[i];
      }
    }
    return sum;
  }

  /** Whether a probe counts calls: at the entry of free and realloc, at the others' return. */
  private static boolean isCall(Probe probe) {
    return switch (probe.function()) {
      case MALLOC, CALLOC -> !probe.isEntry();
      case REALLOC, FREE -> probe.isEntry();
    };
  }

  /** Calls of the four functions since probes were placed. */
  public long calls() {
    return calls(new long[probes.size()]);
  }

  /** CPU time that probes take for this number of calls, in ns. */
  public double nanosOf(long calls) {
    return calls * probeNanos;
  }

  /** CPU time that the process has used, in ns. */
  public long cpuNanos() {
    return cpuTime.ofProcess();
  }

  /** Records that found no room. */
  public long lost() {
    return value.get(AllocationProgram.LOST);
  }

  /** Follows fewer small blocks from now on; the shift must not be below the one at the start. */
  public void setShift(int shift) {
    value.set(AllocationProgram.SHIFT, shift);
  }

  /** Removes the probes; records in the buffer can still be drained. */
  public void stop() {
    uprobes.close();
  }

  /**
   * Delivers the records that are there.
   *
   * @param most records
   * @return how many
   */
  public int drain(int most, AllocationSink target) {
    sink = target;
    return ring.drain(most, this::record);
  }

  private void record(ByteBuffer bytes, int at) {
    long address = bytes.getLong(at + AllocationProgram.ADDRESS);
    long time = clock.near(bytes.getLong(at + AllocationProgram.TIME));
    if (bytes.getLong(at + AllocationProgram.KIND) == Place.FREE.ordinal()) {
      sink.freed(address, time);
      return;
    }
    snapshot.clear();
    snapshot.setTimeNanos(time);
    snapshot.setTid((int) bytes.getLong(at + AllocationProgram.THREAD));
    Registers registers = snapshot.registers();
    for (int i = 0; i < 16; i++) {
      registers.set(i, bytes.getLong(at + AllocationProgram.REGISTERS + 8 * i));
    }
    registers.setPc(bytes.getLong(at + AllocationProgram.REGISTERS + 8 * 16));
    snapshot.setHasRegisters(true);
    int length = (int) bytes.getLong(at + AllocationProgram.STACK_LENGTH);
    bytes.get(at + AllocationProgram.STACK, snapshot.stackBytes(), 0, length);
    snapshot.setStack(registers.sp(), length);
    sink.allocated(
        address,
        bytes.getLong(at + AllocationProgram.SIZE),
        (int) bytes.getLong(at + AllocationProgram.OWN_SHIFT),
        snapshot);
  }

  @Override
  public void close() {
    stop();
    if (ring != null) {
      ring.close();
      ring = null;
    }
    if (value != null) {
      value.close();
      value = null;
    }
    cpuTime.close();
  }
}
