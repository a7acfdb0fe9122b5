package stackweave.engine.probe;

import static stackweave.engine.bpf.BpfCode.Condition.ALWAYS;
import static stackweave.engine.bpf.BpfCode.Condition.EQUAL;
import static stackweave.engine.bpf.BpfCode.KTIME_GET_NS;
import static stackweave.engine.bpf.BpfCode.NO_WAKEUP;
import static stackweave.engine.bpf.BpfCode.RINGBUF_RESERVE;
import static stackweave.engine.bpf.BpfCode.RINGBUF_SUBMIT;

import java.nio.ByteBuffer;
import stackweave.engine.KernelClock;
import stackweave.engine.bpf.BpfCode;
import stackweave.engine.bpf.BpfRing;
import stackweave.engine.bpf.BpfValue;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.CallPolicy;
import stackweave.linux.GuardedCall;
import stackweave.linux.SystemCalls;
import stackweave.unwind.Architecture;

/**
 * Reports memory that the mremap of a process's C library moves, as realloc does with large blocks:
 * by a probe behind the instruction that calls the kernel, where arguments and result are in
 * registers. Without it moved memory would seem to be given back. For x86-64 only. For the drain
 * thread.
 */
public final class MoveProbe implements AutoCloseable {
  private static final int RING_BYTES = 64 * 1024;

  // Offsets in struct pt_regs: old address, old size, new size, and new address.
  private static final int[] REGISTERS = {112, 104, 96, 80};

  private static final int TIME = REGISTERS.length * Long.BYTES;
  private static final int RECORD_BYTES = TIME + Long.BYTES;
  private static final long MAX_ERRNO = 4_095;

  /** Calls per second above which the probe slows the process down too much. */
  private static final long MAX_CALLS_A_SECOND = 5_000;

  private static final long RATE_NANOS = 1_000_000_000L;

  // Offsets in the value that it shares with the kernel.
  private static final int CALLS = 0;
  private static final int LOST = 8;
  private static final int VALUE_BYTES = 64;

  private final Uprobes probes;
  private final BpfRing ring;
  private final BpfValue value;
  private final KernelClock clock = new KernelClock();
  private long rateAt = System.nanoTime();
  private long calls;
  private boolean isGone;

  /** Receives moves. */
  public interface Sink {
    /** Memory, a multiple of pages, was moved to another address. */
    void moved(long atNanos, long from, long to, long bytes);
  }

  private MoveProbe(Uprobes probes, BpfRing ring, BpfValue value) {
    this.probes = probes;
    this.ring = ring;
    this.value = value;
  }

  /** Places the probe; null if that is not possible. */
  public static MoveProbe open(CallPolicy policy, SampledProcess process) {
    SystemCalls calls = SystemCalls.current().orElse(null);
    boolean may =
        calls != null
            && calls.architecture() == Architecture.X86_64
            && policy.allows(GuardedCall.BPF)
            && policy.allows(GuardedCall.PERF_EVENT_OPEN);
    LibcFunctions libc = may ? LibcFunctions.of(process) : null;
    long place = libc == null ? 0 : libc.behindSystemCall("mremap");
    BpfValue value = place == 0 ? null : BpfValue.open(calls, VALUE_BYTES);
    BpfRing ring = value == null ? null : BpfRing.open(calls, RING_BYTES, RING_BYTES);
    if (ring == null) {
      if (value != null) {
        value.close();
      }
      return null;
    }
    Uprobes probes = new Uprobes(calls, libc.path(), process);
    MoveProbe probe = new MoveProbe(probes, ring, value);
    if (probes.place(place, code(ring.fd(), value.fd())) != 0) {
      probe.close();
      return null;
    }
    return probe;
  }

  private static BpfCode code(int ringFd, int valueFd) {
    BpfCode code = new BpfCode();
    code.copy(6, 1).setMapValue(7, valueFd).set(1, 1).addAtomically(7, CALLS, 1);
    code.setMap(1, ringFd).set(2, RECORD_BYTES).set(3, 0).call(RINGBUF_RESERVE);
    int full = code.jump(EQUAL, 0, 0);
    for (int i = 0; i < REGISTERS.length; i++) {
      code.load(1, 6, REGISTERS[i]).store(0, i * Long.BYTES, 1);
    }
    code.copy(8, 0).call(KTIME_GET_NS).store(8, TIME, 0);
    code.copy(1, 8).set(2, NO_WAKEUP).call(RINGBUF_SUBMIT);
    int done = code.jump(ALWAYS, 0, 0);
    code.land(full);
    code.set(1, 1).addAtomically(7, LOST, 1);
    code.land(done);
    return code.set(0, 0).exit();
  }

  /** Delivers the moves that were recorded. */
  public void drain(Sink sink) {
    ring.drain(Integer.MAX_VALUE, (bytes, at) -> record(bytes, at, sink));
  }

  private void record(ByteBuffer bytes, int at, Sink sink) {
    long from = bytes.getLong(at);
    long to = bytes.getLong(at + 24);
    long moved = Math.min(bytes.getLong(at + 8), bytes.getLong(at + 16));
    boolean isError = Long.compareUnsigned(to, -MAX_ERRNO) >= 0;
    if (!isError && from != to && moved > 0) {
      sink.moved(clock.near(bytes.getLong(at + TIME)), from, to, moved);
    }
  }

  /** Removes the probe if calls are too frequent; to be called regularly. */
  public void followRate(long now) {
    long nanos = now - rateAt;
    if (isGone || nanos < RATE_NANOS) {
      return;
    }
    long callsNow = value.get(CALLS);
    isGone = (callsNow - calls) * 1e9 / nanos > MAX_CALLS_A_SECOND;
    if (isGone) {
      probes.close();
    }
    calls = callsNow;
    rateAt = now;
  }

  /** A note for users, or empty. */
  public String note() {
    if (isGone) {
      return "native memory: mremap is called too often for a probe, which is gone: what is moved"
          + " counts as given back";
    }
    long lost = value.get(LOST);
    return lost == 0
        ? ""
        : "native memory: "
            + lost
            + " moves by mremap got lost: what they moved counts as given back";
  }

  @Override
  public void close() {
    probes.close();
    ring.close();
    value.close();
  }
}
