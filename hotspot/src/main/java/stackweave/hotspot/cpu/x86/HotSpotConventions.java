package stackweave.hotspot.cpu.x86;

import java.util.function.LongPredicate;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.InterpreterEdge;
import stackweave.unwind.Architecture;

/**
 * HotSpot on x86-64, the same in JDK 17, 21 and 25 ({@code frame_x86.hpp}, {@code
 * stubGenerator_x86_64.cpp}, {@code templateInterpreterGenerator_x86.cpp}). Instruction sequences
 * are in {@link HotSpotCodePatterns}.
 */
public final class HotSpotConventions extends Cpu {
  private static final Roles ROLES =
      new Roles(
          RegisterNumbers.R15, // thread
          RegisterNumbers.RBX, // method
          RegisterNumbers.R13, // sender's sp
          RegisterNumbers.R13, // bytecode pointer
          RegisterNumbers.RAX, // moved return address
          RegisterNumbers.RDX, // throwing pc
          RegisterNumbers.RBX); // thaw size: StubGenerator::generate_cont_thaw, JDK 21 to 27

  private static final Slots SLOTS =
      new Slots(
          -8 * WORD,
          new int[] {
            RegisterNumbers.RBX,
            RegisterNumbers.R12,
            RegisterNumbers.R13,
            RegisterNumbers.R14,
            RegisterNumbers.R15
          },
          new int[] {-7 * WORD, -8 * WORD, -9 * WORD, -10 * WORD, -11 * WORD});

  public HotSpotConventions() {
    super(Architecture.X86_64, new HotSpotCodePatterns(), ROLES, SLOTS, WORD);
  }

  @Override
  public InterpreterEdge interpreterEdge(
      LongPredicate returnAddresses, InterpreterEdge.Bytecodes bytecodes) {
    return new TemplateInterpreter(returnAddresses, bytecodes);
  }
}
