package stackweave.engine.probe;

import static stackweave.engine.bpf.BpfCode.Condition.ALWAYS;
import static stackweave.engine.bpf.BpfCode.Condition.BELOW;
import static stackweave.engine.bpf.BpfCode.Condition.EQUAL;
import static stackweave.engine.bpf.BpfCode.Condition.NOT_BELOW;
import static stackweave.engine.bpf.BpfCode.Condition.NOT_EQUAL;
import static stackweave.engine.bpf.BpfCode.FRAME;
import static stackweave.engine.bpf.BpfCode.Operation.AND;
import static stackweave.engine.bpf.BpfCode.Operation.EXCLUSIVE_OR;
import static stackweave.engine.bpf.BpfCode.Operation.MULTIPLY;
import static stackweave.engine.bpf.BpfCode.Operation.SHIFT_RIGHT;

import java.io.IOException;
import stackweave.engine.bpf.Bpf;
import stackweave.engine.bpf.BpfCode;
import stackweave.engine.bpf.BpfValue;
import stackweave.engine.bpf.PidNamespace;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.CallPolicy;
import stackweave.linux.GuardedCall;
import stackweave.linux.Libc;
import stackweave.linux.SystemCalls;
import stackweave.unwind.Architecture;

/**
 * A program that the kernel runs at each page fault that is counted: it lets faults of followed
 * pages pass, and of the first and last page of each block of 2 MiB, and drops the rest before
 * their stacks are copied. If it can't be loaded, all faults pass. For the drain thread.
 */
public final class FaultFilter implements AutoCloseable {
  /** Small pages of a huge one. */
  private static final int PAGES_OF_BLOCK = 512;

  // Offsets in the value that it shares with the kernel.
  private static final int MASK = 0;
  private static final int HEAP_START = 8;
  private static final int HEAP_END = 16;
  private static final int VALUE_BYTES = 64;
  private static final int PAGE_SHIFT = 12;

  /** Offset of the ids of thread and process on the program's stack. */
  private static final int IDS = -8;

  /** The number of words of struct pt_regs on x86-64, and of struct user_pt_regs on AArch64. */
  private static final int X86_REGISTERS = 21;

  private static final int ARM_REGISTERS = 34;

  private final int program;
  private final BpfValue value;
  private final boolean passesAll;

  private FaultFilter(int program, BpfValue value, boolean passesAll) {
    this.passesAll = passesAll;
    this.program = program;
    this.value = value;
  }

  /**
   * Loads it.
   *
   * @param heapStart the Java heap's first address; faults there are counted and dropped
   * @param heapEnd the first one behind it
   * @param passesAll whether all others pass, as they must if most pages are huge
   * @param process whose faults pass; the events of this process's threads have no others
   * @return null if the kernel does not permit it
   */
  public static FaultFilter open(
      CallPolicy policy, long heapStart, long heapEnd, boolean passesAll, SampledProcess process) {
    SystemCalls calls = SystemCalls.current().orElse(null);
    if (calls == null || !policy.allows(GuardedCall.BPF)) {
      return null;
    }
    BpfValue value = BpfValue.open(calls, VALUE_BYTES);
    if (value == null) {
      return null;
    }
    int program = load(calls, value, process);
    if (program < 0) {
      value.close();
      return null;
    }
    value.set(HEAP_START, heapStart);
    value.set(HEAP_END, heapEnd);
    return new FaultFilter(program, value, passesAll);
  }

  private static int load(SystemCalls calls, BpfValue value, SampledProcess process) {
    try {
      BpfCode code = code(value.fd(), faultAddress(calls), process);
      return Bpf.load(calls, Bpf.PERF_EVENT, code);
    } catch (IOException e) {
      return -1; // in which namespace this process is, is not known
    }
  }

  /** Offset of the address in struct bpf_perf_event_data, behind registers and period. */
  private static int faultAddress(SystemCalls calls) {
    int registers = calls.architecture() == Architecture.X86_64 ? X86_REGISTERS : ARM_REGISTERS;
    return (registers + 1) * Long.BYTES;
  }

  /** Computes a hash of the page's number; the mask selects which of its upper 32 bits decide. */
  private static BpfCode code(int valueFd, int faultAddress, SampledProcess process)
      throws IOException {
    BpfCode code = new BpfCode();
    code.copy(6, 1).setMapValue(7, valueFd);
    int[] others = process.isOwn() ? new int[0] : others(code, process);
    code.load(8, 6, faultAddress);
    code.load(1, 7, HEAP_START);
    int below = code.jumpByRegister(BELOW, 8, 1);
    code.load(1, 7, HEAP_END);
    int above = code.jumpByRegister(NOT_BELOW, 8, 1);
    int heap = code.jump(ALWAYS, 0, 0);
    code.land(below, above);
    code.apply(SHIFT_RIGHT, 8, PAGE_SHIFT).copy(1, 8).apply(AND, 1, PAGES_OF_BLOCK - 1);
    int first = code.jump(EQUAL, 1, 0);
    int last = code.jump(EQUAL, 1, PAGES_OF_BLOCK - 1);
    code.setLong(2, PageHash.FIRST).applyRegister(MULTIPLY, 8, 2);
    code.copy(1, 8).apply(SHIFT_RIGHT, 1, PageHash.SHIFT).applyRegister(EXCLUSIVE_OR, 8, 1);
    code.setLong(2, PageHash.SECOND).applyRegister(MULTIPLY, 8, 2).apply(SHIFT_RIGHT, 8, 32);
    code.load(1, 7, MASK).applyRegister(AND, 8, 1);
    int followed = code.jump(EQUAL, 8, 0);
    code.land(heap);
    code.land(others);
    code.set(0, 0).exit();
    code.land(first, last, followed);
    return code.set(0, 1).exit();
  }

  /** Writes what recognises other processes; the jumps that are taken then. */
  private static int[] others(BpfCode code, SampledProcess process) throws IOException {
    PidNamespace.own().writeIds(code, IDS);
    int elsewhere = code.jump(NOT_EQUAL, 0, 0);
    code.loadInt(1, FRAME, IDS + Integer.BYTES);
    return new int[] {elsewhere, code.jump(NOT_EQUAL, 1, process.pid())};
  }

  /** Whether all faults pass except those of the Java heap. */
  public boolean passesAll() {
    return passesAll;
  }

  /** Whether faults of a page pass whatever is followed. */
  public boolean passesAlways(long page) {
    long place = page & PAGES_OF_BLOCK - 1;
    return passesAll || place == 0 || place == PAGES_OF_BLOCK - 1;
  }

  /** The program's descriptor, to be set on each event. */
  public int program() {
    return program;
  }

  /** From now on faults of one in 2<sup>shift</sup> pages pass, unless all do. */
  public void setShift(int shift) {
    value.set(MASK, passesAll ? 0 : (1L << shift) - 1);
  }

  @Override
  public void close() {
    value.close();
    Libc.close(program);
  }
}
