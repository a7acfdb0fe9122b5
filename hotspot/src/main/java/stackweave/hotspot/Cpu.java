package stackweave.hotspot;

import java.util.function.LongPredicate;
import stackweave.unwind.Architecture;

/**
 * What HotSpot hard-codes for a processor and does not describe in vmStructs: which register has
 * which role, where frames keep what, and the instruction sequences that its code generators always
 * emit the same way. One class per processor; the rules of frames ask this one only.
 *
 * <p>Registers go by DWARF number. Code is asked about as an array of bytes and an index in it:
 * what lies outside of the array is no instruction that is looked for. Stateless.
 */
abstract class Cpu {
  static final int WORD = 8;

  /** A register or a role that the processor does not have. */
  static final int NONE = -1;

  // Every frame with a frame pointer: bytes from there, the same on all processors.
  static final int SAVED_FP = 0;
  static final int RETURN_ADDRESS = WORD;
  static final int FRAME_LINK_BYTES = 2 * WORD;

  // Interpreter frame, bytes from the frame pointer, the same on all processors.
  static final int SENDER_SP = -1 * WORD;
  static final int METHOD = -3 * WORD;

  /** How much of the code around an interrupted pc the questions about it may look at. */
  static final int CODE_WINDOW = 24;

  abstract Architecture architecture();

  // Registers by their role in Java code.

  /** Holds the JavaThread in all Java code. */
  abstract int thread();

  /** Holds the Method* where a method is entered in the interpreter. */
  abstract int method();

  /** Holds the caller's sp where a method is entered in the interpreter, and in adapters. */
  abstract int senderSp();

  /** Holds the bytecode pointer while the interpreter runs bytecodes. */
  abstract int bytecodePointer();

  /** Holds the return address while an adapter moves the arguments on the stack. */
  abstract int movedReturnAddress();

  /** Holds the pc that throws on the way to its handler. */
  abstract int throwingPc();

  /** Holds what a system call returns. */
  abstract int systemCallResult();

  // Frames.

  /** How many bytes a call pushes on the stack: those of the return address, or none. */
  abstract int callBytes();

  /** The address in a word that is a return address: without its signature, where it has one. */
  abstract long returnAddress(long word);

  /** Slot of an interpreter frame with the bytecode pointer, bytes from the frame pointer. */
  abstract int bytecodePointerSlot();

  /** Callee-saved registers of the C++ code that calls Java, as the call stub keeps them. */
  abstract int[] callStubRegisters();

  /** Where the call stub keeps each of them, bytes from the frame pointer. */
  abstract int[] callStubSlots();

  /**
   * How a frame enters and leaves the interpreter.
   *
   * @param returnAddresses whether a call in the code cache can return to an address
   * @param bytecodes what the VM knows of its methods
   */
  abstract InterpreterEdge interpreterEdge(
      LongPredicate returnAddresses, InterpreterEdge.Bytecodes bytecodes);

  // Native code.

  /** Computes how deep native functions' stacks are; null if this processor's code is not read. */
  abstract StackDepth stackDepth();

  // Calls.

  /** Bytes before a return address that hold any call. */
  abstract int longestCall();

  /** Bytes before a return address that hold any call whose target the code says. */
  abstract int longestKnownCall();

  /** Whether a call instruction ends right before {@code code[end]}. */
  abstract boolean isCallBefore(byte[] code, int end);

  /**
   * The target of the call that ends right before {@code code[end]}, the bytes before {@code pc}.
   *
   * @return 0 where the code does not say
   */
  abstract long callTarget(byte[] code, int end, long pc);

  /** Bytes behind a call that hold the longest run of pops that is looked for. */
  abstract int longestPops();

  /** How many words are popped one after the other at the start of {@code code}. */
  abstract int popsAt(byte[] code);

  /** The register through which {@code code[i]} jumps, or {@link #NONE}. */
  abstract int jumpRegister(byte[] code, int i);

  // How frames are set up and taken down.

  /**
   * The state of the frame at {@code pc}, an index in {@code code}, if it lies in the prologue of
   * compiled code that begins at {@code entry}.
   *
   * @return null if pc is behind the prologue or there is none within {@code limit}
   */
  abstract PartialFrame inPrologue(byte[] code, int entry, int pc, int limit);

  /** The same for an epilogue of compiled code; null if {@code pc} is in none. */
  abstract PartialFrame inEpilogue(byte[] code, int pc);

  /** The frame of code that has pushed nothing yet, or popped everything. */
  abstract PartialFrame frameless();

  /** Whether {@code code[i]} returns. */
  abstract boolean isReturn(byte[] code, int i);

  /** Bytes of the instruction that saves the frame pointer at the start of a routine. */
  abstract int fpPushLength();

  /** Whether {@code code[i]} saves the frame pointer right below the return address. */
  abstract boolean isFpPush(byte[] code, int i);

  /** Whether {@code code[i]} begins {@link #isFpPush} and sets the frame pointer then. */
  abstract boolean isEnter(byte[] code, int i);

  /** Bytes of {@link #isEnter}. */
  abstract int enterLength();

  /**
   * Whether at {@code code[i]} return address and saved frame pointer are on top of the stack, and
   * the frame pointer is the caller's: within what sets a frame up, or takes it down.
   */
  abstract boolean isLinkOnTop(byte[] code, int i);

  /** Whether a routine at {@code code[i]} begins by saving the frame pointer. */
  abstract boolean isSavingFp(byte[] code, int i);

  /** Whether {@link #throwingPc} was popped within {@code distance} bytes before {@code end}. */
  abstract boolean isThrowingPcPoppedBefore(byte[] code, int end, int distance);

  // The kernel.

  /** Whether a system call instruction ends right before {@code code[end]}. */
  abstract boolean isSystemCallBefore(byte[] code, int end);

  /** Whether a system call that makes a thread ends at or before {@code code[end]}. */
  abstract boolean isCloneWithin(byte[] code, int end);

  /** The byte, or -1 outside of what was copied. */
  static int at(byte[] code, int i) {
    return i >= 0 && i < code.length ? code[i] & 0xff : -1;
  }
}
