package stackweave.unwind.walk;

import stackweave.unwind.Architecture;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.Registers;
import stackweave.unwind.UnreadableMemoryException;

/** The frame that the kernel makes for a signal handler, as the sigreturn trampoline sees it. */
final class KernelSignalFrame {
  private final int[] layout;
  private final int pcOffset;
  private final long[] values;

  KernelSignalFrame(Architecture architecture) {
    layout =
        switch (architecture) {
          case X86_64 -> stackweave.unwind.x86_64.SignalFrame.registers();
          case AARCH64 -> stackweave.unwind.aarch64.SignalFrame.registers();
          case S390X -> stackweave.unwind.s390x.SignalFrame.registers();
        };
    pcOffset =
        switch (architecture) {
          case X86_64 -> stackweave.unwind.x86_64.SignalFrame.PC;
          case AARCH64 -> stackweave.unwind.aarch64.SignalFrame.PC;
          case S390X -> stackweave.unwind.s390x.SignalFrame.PC;
        };
    values = new long[layout.length / 2];
  }

  /**
   * Makes the registers those of the interrupted frame.
   *
   * @param registers those of the trampoline; unchanged when the memory can't be read
   */
  void restore(Registers registers, MemoryReader memory) throws UnreadableMemoryException {
    long sp = registers.sp();
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
}
