package stackweave.cpu;

import stackweave.unwind.Architecture;

/**
 * The user registers of a perf sample: the mask to ask for, and the DWARF number of each value. The
 * kernel packs the registers of the mask in ascending order of their bits
 * (arch/ARCH/include/uapi/asm/perf_regs.h). Also where a BPF program of an event sees the
 * interrupted registers (struct bpf_perf_event_data; arch/x86/include/asm/ptrace.h,
 * arch/arm64/include/uapi/asm/ptrace.h).
 */
public enum PerfRegisters {
  /** AX BX CX DX SI DI BP SP IP FLAGS, (segments left out), R8–R15. */
  X86_64(
      0xFF03FFL,
      7,
      8,
      new int[] {0, 3, 2, 1, 4, 5, 6, 7, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15},
      new Interrupted(152, 136, 3, 3)),

  /** X0–X29, LR, SP, PC. */
  AARCH64(0x1_FFFF_FFFFL, 31, 32, ascending(32), new Interrupted(248, 264, 0xf, 0));

  private final long mask;
  private final int spIndex;
  private final int pcIndex;
  private final int[] dwarf;
  private final Interrupted interrupted;

  /**
   * Where a program finds the interrupted registers.
   *
   * @param sp offset of the stack pointer
   * @param mode offset of the register that shows whether the CPU was in user mode: cs, or pstate
   * @param modeMask the bits of it that show that
   * @param userMode their value in user mode
   */
  public record Interrupted(int sp, int mode, int modeMask, int userMode) {}

  PerfRegisters(long mask, int spIndex, int pcIndex, int[] dwarf, Interrupted interrupted) {
    this.mask = mask;
    this.spIndex = spIndex;
    this.pcIndex = pcIndex;
    this.dwarf = dwarf;
    this.interrupted = interrupted;
  }

  /** So many registers with the numbers from 0 on, and one without. */
  private static int[] ascending(int count) {
    int[] numbers = new int[count + 1];
    for (int i = 0; i < count; i++) {
      numbers[i] = i;
    }
    numbers[count] = -1;
    return numbers;
  }

  /** The registers of an architecture with perf engines. */
  public static PerfRegisters of(Architecture architecture) {
    return switch (architecture) {
      case X86_64 -> X86_64;
      case AARCH64 -> AARCH64;
      case S390X -> throw new IllegalArgumentException("no perf engine for " + architecture);
    };
  }

  /** The mask for attr.sample_regs_user. */
  public long mask() {
    return mask;
  }

  /** The number of 8-byte values in a record. */
  public int count() {
    return dwarf.length;
  }

  /** Which value is the stack pointer. */
  public int spIndex() {
    return spIndex;
  }

  /** Which value is the pc. */
  public int pcIndex() {
    return pcIndex;
  }

  /** The DWARF number of a value; −1 for one without a number here. */
  public int dwarf(int i) {
    return dwarf[i];
  }

  /** Where a program finds the interrupted registers. */
  public Interrupted interrupted() {
    return interrupted;
  }
}
