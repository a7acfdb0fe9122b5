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

  /** How many bytes of code around an interrupted pc {@link CodePatterns} may look at. */
  public static final int CODE_WINDOW = 24;

  /**
   * Registers by their role in Java code.
   *
   * @param thread holds the JavaThread in all Java code
   * @param method holds the Method* where a method is entered in the interpreter
   * @param senderSp holds the caller's sp where a method is entered in the interpreter, and in
   *     adapters
   * @param bytecodePointer holds the bytecode pointer while the interpreter runs bytecodes
   * @param movedReturnAddress holds the return address while an adapter moves the arguments on the
   *     stack
   * @param throwingPc holds the pc that throws on the way to its handler
   * @param thawSize keeps the size of the room that was made on the stack, in bytes, while the VM
   *     brings frames of a continuation back into it; {@link #NONE} where it can't be known
   */
  public record Roles(
      int thread,
      int method,
      int senderSp,
      int bytecodePointer,
      int movedReturnAddress,
      int throwingPc,
      int thawSize) {}

  /**
   * Where frames keep what, in bytes from the frame pointer.
   *
   * @param bytecodePointer of an interpreter frame
   * @param callStubRegisters callee-saved registers of the C++ code that calls Java
   * @param callStubSlots where the call stub keeps each of them
   */
  public record Slots(int bytecodePointer, int[] callStubRegisters, int[] callStubSlots) {}

  public final Architecture architecture;
  public final CodePatterns code;
  public final Roles roles;
  public final Slots slots;

  /** How many bytes a call pushes on the stack: those of the return address, or none. */
  public final int callBytes;

  private final long addressMask;

  protected Cpu(
      Architecture architecture, CodePatterns code, Roles roles, Slots slots, int callBytes) {
    this.architecture = architecture;
    this.code = code;
    this.roles = roles;
    this.slots = slots;
    this.callBytes = callBytes;
    this.addressMask = architecture.addressMask();
  }

  /** The address in a word that is a return address: without its signature, where it has one. */
  public final long returnAddress(long word) {
    return word & addressMask;
  }

  /**
   * How a frame enters and leaves the interpreter.
   *
   * @param returnAddresses whether a call in the code cache can return to an address
   * @param bytecodes what the VM knows of its methods
   */
  public abstract InterpreterEdge interpreterEdge(
      LongPredicate returnAddresses, InterpreterEdge.Bytecodes bytecodes);
}
