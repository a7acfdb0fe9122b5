package stackweave.engine.perf.filter;

import stackweave.cpu.x86_64.PerfRegisterOrder;
import stackweave.unwind.Architecture;

/**
 * What a program of an event sees of the interrupted registers (struct bpf_perf_event_data):
 * offsets of the stack pointer, and of that which says whether the CPU was in user mode.
 */
record InterruptedRegisters(int sp, int mode, int modeMask, int userMode) {

  static InterruptedRegisters of(Architecture architecture) {
    return switch (architecture) {
      case X86_64 ->
          new InterruptedRegisters(
              PerfRegisterOrder.REGS_SP,
              PerfRegisterOrder.REGS_CS,
              PerfRegisterOrder.CS_MODE,
              PerfRegisterOrder.CS_MODE);
      case AARCH64 ->
          new InterruptedRegisters(
              stackweave.cpu.aarch64.PerfRegisterOrder.REGS_SP,
              stackweave.cpu.aarch64.PerfRegisterOrder.REGS_PSTATE,
              stackweave.cpu.aarch64.PerfRegisterOrder.PSTATE_MODE,
              0);
      case S390X -> throw new IllegalArgumentException("no perf engine for " + architecture);
    };
  }
}
