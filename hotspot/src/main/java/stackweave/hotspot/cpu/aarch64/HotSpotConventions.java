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
  /** The slot with the bytecode pointer, bytes from x29. */
  private static final int BYTECODE_POINTER_SLOT = -9 * WORD;

  private static final int[] CALL_STUB_REGISTERS = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28};

  /** Bytes from x29. */
  private static final int[] CALL_STUB_SLOTS = {
    -9 * WORD, -10 * WORD, -11 * WORD, -12 * WORD, -13 * WORD,
    -14 * WORD, -15 * WORD, -16 * WORD, -17 * WORD, -18 * WORD
  };

  private final int senderSp;

  /**
   * @param senderSpInX19 whether this JDK keeps the caller's sp in x19, not in x13
   */
  public HotSpotConventions(boolean senderSpInX19) {
    super(Architecture.AARCH64, new HotSpotCodePatterns());
    senderSp = senderSpInX19 ? RegisterNumbers.X19 : RegisterNumbers.X13;
  }

  @Override
  public int thread() {
    return RegisterNumbers.X28;
  }

  @Override
  public int method() {
    return RegisterNumbers.X12;
  }

  @Override
  public int senderSp() {
    return senderSp;
  }

  @Override
  public int bytecodePointer() {
    return RegisterNumbers.X22;
  }

  /** The link register: nothing on the stack is in the way of the arguments. */
  @Override
  public int movedReturnAddress() {
    return RegisterNumbers.X30;
  }

  @Override
  public int throwingPc() {
    return RegisterNumbers.X3;
  }

  /** It is in a scratch register, which the VM does not keep. */
  @Override
  public int thawSize() {
    return NONE;
  }

  @Override
  public int callBytes() {
    return 0;
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
    return new TemplateInterpreter(returnAddresses, senderSp);
  }
}
