package stackweave.hotspot.cpu.aarch64;

import java.util.function.LongPredicate;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.InterpreterEdge;
import stackweave.unwind.Architecture;

/**
 * HotSpot on AArch64, from its sources of JDK 17, 21 and 25 ({@code frame_aarch64.hpp}, {@code
 * stubGenerator_aarch64.cpp}, {@code assembler_aarch64.hpp}, {@code
 * templateInterpreterGenerator_aarch64.cpp}). Instruction sequences are in {@link
 * HotSpotCodePatterns}.
 *
 * <p>Not tested on hardware: run so far under emulation (qemu-user) only.
 */
public final class HotSpotConventions extends Cpu {
  private static final Slots SLOTS =
      new Slots(
          -9 * WORD,
          new int[] {19, 20, 21, 22, 23, 24, 25, 26, 27, 28},
          new int[] {
            -9 * WORD, -10 * WORD, -11 * WORD, -12 * WORD, -13 * WORD,
            -14 * WORD, -15 * WORD, -16 * WORD, -17 * WORD, -18 * WORD
          });

  /**
   * @param senderSpInX19 whether this JDK keeps the caller's sp in x19, not in x13
   */
  public HotSpotConventions(boolean senderSpInX19) {
    super(Architecture.AARCH64, new HotSpotCodePatterns(), roles(senderSpInX19), SLOTS, 0);
  }

  private static Roles roles(boolean senderSpInX19) {
    return new Roles(
        RegisterNumbers.X28, // thread
        RegisterNumbers.X12, // method
        senderSpInX19 ? RegisterNumbers.X19 : RegisterNumbers.X13, // sender's sp
        RegisterNumbers.X22, // bytecode pointer
        RegisterNumbers.X30, // return address: nothing on the stack is in the arguments' way
        RegisterNumbers.X3, // throwing pc
        NONE); // thaw size: it is in a scratch register, which the VM does not keep
  }

  @Override
  public InterpreterEdge interpreterEdge(
      LongPredicate returnAddresses, InterpreterEdge.Bytecodes bytecodes) {
    return new TemplateInterpreter(returnAddresses, roles.senderSp());
  }
}
