package stackweave.hotspot.cpu;

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

  private final Architecture architecture;
  private final long addressMask;
  private final CodePatterns code;

  /**
   * @param architecture the one that native unwinding knows it as
   * @param code of the same processor
   */
  protected Cpu(Architecture architecture, CodePatterns code) {
    this.architecture = architecture;
    this.addressMask = architecture.addressMask();
    this.code = code;
  }

  /** The instruction sequences that are known. */
  public final CodePatterns code() {
    return code;
  }

  /** The architecture that native unwinding knows it as. */
  public final Architecture architecture() {
    return architecture;
  }

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

  /**
   * Keeps the size of the room that was made on the stack, in bytes, while the VM brings frames of
   * a continuation back into it; {@link #NONE} where it can't be known.
   */
  public abstract int thawSize();

  // Frames.

  /** How many bytes a call pushes on the stack: those of the return address, or none. */
  public abstract int callBytes();

  /** The address in a word that is a return address: without its signature, where it has one. */
  public final long returnAddress(long word) {
    return word & addressMask;
  }

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
}
