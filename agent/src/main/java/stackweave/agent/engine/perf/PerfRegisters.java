package stackweave.agent.engine.perf;

import stackweave.unwind.Architecture;
import stackweave.unwind.Registers;

/**
 * The user registers of a perf sample: which to ask for, and where each goes.
 *
 * <p>The kernel packs the registers of the mask in ascending bit order. Source:
 * arch/x86/include/uapi/asm/perf_regs.h, arch/arm64/include/uapi/asm/perf_regs.h.
 */
enum PerfRegisters {
  /** AX BX CX DX SI DI BP SP IP FLAGS, (segments left out), R8–R15. */
  X86_64(0xFF03FFL, 8, 7, new int[] {0, 3, 2, 1, 4, 5, 6, 7, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15}),
  /** X0–X29, LR, SP, PC. */
  AARCH64(0x1_FFFF_FFFFL, 32, 31, identityWithoutPc());

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

  private static int[] identityWithoutPc() {
    int[] numbers = new int[33];
    for (int i = 0; i < 32; i++) {
      numbers[i] = i;
    }
    numbers[32] = -1;
    return numbers;
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
