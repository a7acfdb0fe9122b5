package stackweave.hotspot.cpu;

import java.util.function.IntUnaryOperator;
import java.util.function.LongPredicate;
import stackweave.unwind.Architecture;

/**
 * What HotSpot hard-codes for a processor and does not describe in vmStructs: the roles of
 * registers, where frames keep what, and the {@link CodePatterns}. Each processor has a package
 * with an implementation; all other code asks this class only.
 *
 * <p>Registers go by DWARF number. Stateless.
 */
public abstract class Cpu {
  /** Bytes of a word. */
  public static final int WORD = 8;

  /** A register or a role that the processor does not have. */
  public static final int NONE = -1;

  // Every frame with a frame pointer: bytes from there, the same on all processors.
  /** Slot of the caller's frame pointer. */
  public static final int SAVED_FP = 0;

  /** Slot of the return address. */
  public static final int RETURN_ADDRESS = WORD;

  /** Bytes of saved frame pointer and return address. */
  public static final int FRAME_LINK_BYTES = 2 * WORD;

  // Interpreter frame, bytes from the frame pointer, the same on all processors.
  /** Slot of the caller's sp. */
  public static final int SENDER_SP = -1 * WORD;

  /** Slot of the Method*. */
  public static final int METHOD = -3 * WORD;

  /** How much of the code around an interrupted pc the questions about it may look at. */
  public static final int CODE_WINDOW = 24;

  private final CodePatterns code;

  /**
   * @param code of the same processor
   */
  protected Cpu(CodePatterns code) {
    this.code = code;
  }

  /** The instruction sequences that are known. */
  public final CodePatterns code() {
    return code;
  }

  /** The architecture that native unwinding knows it as. */
  public abstract Architecture architecture();

  // Registers by their role in Java code.

  /** Holds the JavaThread in all Java code. */
  public abstract int thread();

  /** Holds the Method* where a method is entered in the interpreter. */
  public abstract int method();

  /** Holds the caller's sp where a method is entered in the interpreter, and in adapters. */
  public abstract int senderSp();

  /** Holds the bytecode pointer while the interpreter runs bytecodes. */
  public abstract int bytecodePointer();

  /** Holds the return address while an adapter moves the arguments on the stack. */
  public abstract int movedReturnAddress();

  /** Holds the pc that throws on the way to its handler. */
  public abstract int throwingPc();

  /** Holds what a system call returns. */
  public abstract int systemCallResult();

  /**
   * Keeps the size of the room that was made on the stack, in bytes, while the VM brings frames of
   * a continuation back into it; {@link #NONE} where it can't be known.
   */
  public abstract int thawSize();

  // Frames.

  /** How many bytes a call pushes on the stack: those of the return address, or none. */
  public abstract int callBytes();

  /** The address in a word that is a return address: without its signature, where it has one. */
  public abstract long returnAddress(long word);

  /** Slot of an interpreter frame with the bytecode pointer, bytes from the frame pointer. */
  public abstract int bytecodePointerSlot();

  /** Callee-saved registers of the C++ code that calls Java, as the call stub keeps them. */
  public abstract int[] callStubRegisters();

  /** Where the call stub keeps each of them, bytes from the frame pointer. */
  public abstract int[] callStubSlots();

  /**
   * How a frame enters and leaves the interpreter.
   *
   * @param returnAddresses whether a call in the code cache can return to an address
   * @param bytecodes what the VM knows of its methods
   */
  public abstract InterpreterEdge interpreterEdge(
      LongPredicate returnAddresses, InterpreterEdge.Bytecodes bytecodes);

  // Native code.

  /**
   * How far below its frame pointer the stack of a native function reaches, by the instructions
   * that it begins with: what it pushes and reserves once the frame pointer is set, up to the first
   * jump or call. Right for a function that keeps its stack at that size from there on.
   *
   * @param code of the function, from its start
   * @param length how many bytes of it are there
   * @return in bytes; {@link #NONE} if the function doesn't set a frame pointer, or changes its
   *     stack in a way that is not understood: in a loop, or further behind a jump or call
   */
  public abstract int bytesBelowFp(byte[] code, int length);

  /** Computes how deep native functions' stacks are; null if this processor's code is not read. */
  public abstract StackDepth stackDepth();

  /** What unwind tables say of an instruction where they say nothing. */
  public static final int NO_ROW = Integer.MIN_VALUE;

  /** The same where the CFA is not computed from the stack pointer. */
  public static final int NOT_BY_SP = NO_ROW + 1;

  /**
   * Whether unwind tables are wrong about a native function, as its instructions show one after the
   * other: where it returns, nothing may be left on the stack but the return address; and between
   * two instructions that change the stack pointer by a constant, it stays what it is.
   *
   * @param code of the function, from its start
   * @param length how many bytes of it are there
   * @param rows from the offset of an instruction in the code to how far the CFA is above the stack
   *     pointer, by the tables; or {@link #NO_ROW} or {@link #NOT_BY_SP}
   * @return false where the code is not understood
   */
  public abstract boolean contradicts(byte[] code, int length, IntUnaryOperator rows);

  /** Finds native functions' callers by their code; null if this processor's code is not read. */
  public abstract ForwardAnalysis forwardAnalysis();
}
