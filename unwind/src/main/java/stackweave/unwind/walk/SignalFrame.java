package stackweave.unwind.walk;

import stackweave.unwind.Architecture;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.Registers;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The frame that the kernel makes for a signal handler, as the sigreturn trampoline sees it: where
 * the ucontext keeps each register, in bytes from sp.
 *
 * <p>Sources: Linux arch/x86/include/uapi/asm/sigcontext.h and arch/x86/include/asm/sigframe.h;
 * arch/arm64/include/uapi/asm/sigcontext.h and arch/arm64/kernel/signal.c;
 * arch/s390/include/uapi/asm/sigcontext.h and arch/s390/kernel/signal.c.
 */
final class SignalFrame {
  /** ucontext at sp; gregs at 40, in the kernel's order. */
  private static final int[] X86_64 = {
    8, 40, 9, 48, 10, 56, 11, 64, 12, 72, 13, 80, 14, 88, 15, 96, 5, 104, 4, 112, 6, 120, 3, 128, 1,
    136, 0, 144, 2, 152, 7, 160
  };

  private static final int X86_64_PC = 168;

  /** siginfo 128, uc_mcontext at 176 of the ucontext, fault address 8, x0..x30, sp, pc. */
  private static final int AARCH64_X0 = 312;

  private static final int AARCH64_PC = 568;

  private static final int S390X_PC = 344;
  private static final int S390X_R0 = 352;

  /** Behind 16 access registers and the floating point control word. */
  private static final int S390X_F0 = 552;

  /** DWARF 16..31 in the order of the ABI: the number of each floating point register. */
  private static final int[] S390X_FPR = {0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15};

  private static final int[] AARCH64 = aarch64();
  private static final int[] S390X = s390x();

  private SignalFrame() {}

  /**
   * Makes the registers those of the interrupted frame.
   *
   * @param registers those of the trampoline; unchanged when the memory can't be read
   * @param values room for one value per register
   */
  static void restore(Registers registers, long[] values, MemoryReader memory)
      throws UnreadableMemoryException {
    Architecture architecture = registers.architecture();
    long sp = registers.sp();
    int[] layout =
        switch (architecture) {
          case X86_64 -> X86_64;
          case AARCH64 -> AARCH64;
          case S390X -> S390X;
        };
    int pcOffset =
        switch (architecture) {
          case X86_64 -> X86_64_PC;
          case AARCH64 -> AARCH64_PC;
          case S390X -> S390X_PC;
        };
    for (int i = 0; i < layout.length; i += 2) {
      values[i / 2] = memory.readLong(sp + layout[i + 1]);
    }
    long pc = memory.readLong(sp + pcOffset);
    registers.clear();
    for (int i = 0; i < layout.length; i += 2) {
      registers.set(layout[i], values[i / 2]);
    }
    registers.setPc(pc);
  }

  private static int[] aarch64() {
    int[] layout = new int[2 * 32];
    for (int i = 0; i < 32; i++) { // x0..x30 and sp, which is DWARF 31
      layout[2 * i] = i;
      layout[2 * i + 1] = AARCH64_X0 + 8 * i;
    }
    return layout;
  }

  private static int[] s390x() {
    int[] layout = new int[2 * 32];
    for (int i = 0; i < 16; i++) {
      layout[2 * i] = i;
      layout[2 * i + 1] = S390X_R0 + 8 * i;
      layout[2 * (16 + i)] = 16 + i;
      layout[2 * (16 + i) + 1] = S390X_F0 + 8 * S390X_FPR[i];
    }
    return layout;
  }
}
