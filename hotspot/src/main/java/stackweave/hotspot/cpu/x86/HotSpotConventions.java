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
  /** The slot with the bytecode pointer, bytes from rbp. */
  private static final int BYTECODE_POINTER_SLOT = -8 * WORD;

  private static final int[] CALL_STUB_REGISTERS = {
    RegisterNumbers.RBX,
    RegisterNumbers.R12,
    RegisterNumbers.R13,
    RegisterNumbers.R14,
    RegisterNumbers.R15
  };

  /** Bytes from rbp. */
  private static final int[] CALL_STUB_SLOTS = {
    -7 * WORD, -8 * WORD, -9 * WORD, -10 * WORD, -11 * WORD
  };

  public HotSpotConventions() {
    super(Architecture.X86_64, new HotSpotCodePatterns());
  }

  @Override
  public int thread() {
    return RegisterNumbers.R15;
  }

  @Override
  public int method() {
    return RegisterNumbers.RBX;
  }

  @Override
  public int senderSp() {
    return RegisterNumbers.R13;
  }

  @Override
  public int bytecodePointer() {
    return RegisterNumbers.R13;
  }

  @Override
  public int movedReturnAddress() {
    return RegisterNumbers.RAX;
  }

  @Override
  public int throwingPc() {
    return RegisterNumbers.RDX;
  }

  /** {@code StubGenerator::generate_cont_thaw}, JDK 21 to 27. */
  @Override
  public int thawSize() {
    return RegisterNumbers.RBX;
  }

  @Override
  public int callBytes() {
    return WORD;
  }

  @Override
  public int bytecodePointerSlot() {
    return BYTECODE_POINTER_SLOT;
  }

  @Override
  public int[] callStubRegisters() {
    return CALL_STUB_REGISTERS;
  }

  @Override
  public int[] callStubSlots() {
    return CALL_STUB_SLOTS;
  }

  @Override
  public InterpreterEdge interpreterEdge(
      LongPredicate returnAddresses, InterpreterEdge.Bytecodes bytecodes) {
    return new TemplateInterpreter(returnAddresses, bytecodes);
  }
}
