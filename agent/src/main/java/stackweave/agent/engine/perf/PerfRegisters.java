package stackweave.agent.engine.perf;

import stackweave.agent.cpu.x86_64.PerfRegisterOrder;
import stackweave.unwind.Architecture;
import stackweave.unwind.Registers;

/**
 * The user registers of a perf sample: which to ask for, and where each goes.
 *
 * <p>The kernel packs the registers of the mask in ascending bit order.
 */
enum PerfRegisters {
  X86_64(
      PerfRegisterOrder.MASK,
      PerfRegisterOrder.PC_INDEX,
      PerfRegisterOrder.SP_INDEX,
      PerfRegisterOrder.dwarf()),
  AARCH64(
      stackweave.agent.cpu.aarch64.PerfRegisterOrder.MASK,
      stackweave.agent.cpu.aarch64.PerfRegisterOrder.PC_INDEX,
      stackweave.agent.cpu.aarch64.PerfRegisterOrder.SP_INDEX,
      stackweave.agent.cpu.aarch64.PerfRegisterOrder.dwarf());

  private final long mask;
  private final int pcIndex;
  private final int spIndex;
  private final int[] dwarf;

  PerfRegisters(long mask, int pcIndex, int spIndex, int[] dwarf) {
    this.mask = mask;
    this.pcIndex = pcIndex;
    this.spIndex = spIndex;
    this.dwarf = dwarf;
  }

  static PerfRegisters of(Architecture architecture) {
    return switch (architecture) {
      case X86_64 -> X86_64;
      case AARCH64 -> AARCH64;
      case S390X -> throw new IllegalArgumentException("no perf engine for " + architecture);
    };
  }

  /** attr.sample_regs_user. */
  long mask() {
    return mask;
  }

  /** How many 8-byte values the kernel delivers. */
  int count() {
    return dwarf.length;
  }

  /** The stack pointer among the values at {@code offset} of the ring's record. */
  long stackPointer(PerfRing ring, int offset) {
    return ring.getLong(offset + 8 * spIndex);
  }

  /** Takes over the values at {@code offset} of the ring's record. */
  void read(PerfRing ring, int offset, Registers target) {
    for (int i = 0; i < dwarf.length; i++) {
      long value = ring.getLong(offset + 8 * i);
      if (dwarf[i] >= 0) {
        target.set(dwarf[i], value);
      } else if (i == pcIndex) {
        target.setPc(value);
      }
    }
  }
}
