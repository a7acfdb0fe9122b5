package stackweave.engine.perf;

import stackweave.cpu.x86_64.PerfRegisterOrder;
import stackweave.unwind.Architecture;
import stackweave.unwind.Registers;

/**
 * The user registers of a perf sample by architecture: the mask to ask for, and the DWARF number of
 * each value. The kernel packs the registers of the mask in ascending bit order.
 */
enum PerfRegisters {
  X86_64(
      PerfRegisterOrder.MASK,
      PerfRegisterOrder.PC_INDEX,
      PerfRegisterOrder.SP_INDEX,
      PerfRegisterOrder.dwarf()),
  AARCH64(
      stackweave.cpu.aarch64.PerfRegisterOrder.MASK,
      stackweave.cpu.aarch64.PerfRegisterOrder.PC_INDEX,
      stackweave.cpu.aarch64.PerfRegisterOrder.SP_INDEX,
      stackweave.cpu.aarch64.PerfRegisterOrder.dwarf());

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

  /** The mask for attr.sample_regs_user. */
  long mask() {
    return mask;
  }

  /** The number of 8-byte values in a record. */
  int count() {
    return dwarf.length;
  }

  /** The stack pointer among the values at {@code offset} of the ring's record. */
  long stackPointer(PerfRing ring, int offset) {
    return ring.getLong(offset + 8 * spIndex);
  }

  /** Copies the values at {@code offset} of the ring's record. */
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
