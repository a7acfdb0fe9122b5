package stackweave.hotspot.cpu;

import java.util.function.LongPredicate;
import stackweave.unwind.Architecture;

/**
 * What HotSpot hard-codes for a processor and does not describe in vmStructs: the roles of
 * registers, where frames keep what, and the instruction sequences that its code generators always
 * emit. Each processor has a package with an implementation; all other code asks this class only.
 *
 * <p>Registers go by DWARF number. Code is passed as an array of bytes and an index; outside of the
 * array nothing is recognised. Stateless.
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

  /** Computes how deep native functions' stacks are; null if this processor's code is not read. */
  public abstract StackDepth stackDepth();

  // Calls.

  /** Bytes before a return address that hold any call. */
  public abstract int maxCallBytes();

  /** Bytes before a return address that hold any call whose target the code says. */
  public abstract int maxKnownCallBytes();

  /** Whether a call instruction ends right before {@code code[end]}. */
  public abstract boolean isCallBefore(byte[] code, int end);

  /**
   * The target of the call that ends right before {@code code[end]}, the bytes before {@code pc}.
   *
   * @return 0 where the code does not say
   */
  public abstract long callTarget(byte[] code, int end, long pc);

  /** Bytes behind a call that hold the longest run of pops that is looked for. */
  public abstract int maxPopsBytes();

  /** How many words are popped one after the other at the start of {@code code}. */
  public abstract int popsAt(byte[] code);

  /** The register through which {@code code[i]} jumps, or {@link #NONE}. */
  public abstract int jumpRegister(byte[] code, int i);

  // How frames are set up and taken down.

  /**
   * The state of the frame at {@code pc}, an index in {@code code}, if it lies in the prologue of
   * compiled code that begins at {@code entry}.
   *
   * @return null if pc is behind the prologue or there is none within {@code limit}
   */
  public abstract PartialFrame inPrologue(byte[] code, int entry, int pc, int limit);

  /** The same for an epilogue of compiled code; null if {@code pc} is in none. */
  public abstract PartialFrame inEpilogue(byte[] code, int pc);

  /** The frame of code that has pushed nothing yet, or popped everything. */
  public abstract PartialFrame frameless();

  /** Whether {@code code[i]} returns. */
  public abstract boolean isReturn(byte[] code, int i);

  /** Bytes of the instruction that saves the frame pointer at the start of a routine. */
  public abstract int fpPushLength();

  /** Whether {@code code[i]} saves the frame pointer right below the return address. */
  public abstract boolean isFpPush(byte[] code, int i);

  /** Whether {@code code[i]} begins {@link #isFpPush} and sets the frame pointer then. */
  public abstract boolean isEnter(byte[] code, int i);

  /** Bytes of {@link #isEnter}. */
  public abstract int enterLength();

  /**
   * Whether at {@code code[i]} return address and saved frame pointer are on top of the stack, and
   * the frame pointer is the caller's: within what sets a frame up, or takes it down.
   */
  public abstract boolean isLinkOnTop(byte[] code, int i);

  /** Whether a routine at {@code code[i]} begins by saving the frame pointer. */
  public abstract boolean isSavingFp(byte[] code, int i);

  /** Whether {@link #throwingPc} was popped within {@code distance} bytes before {@code end}. */
  public abstract boolean isThrowingPcPoppedBefore(byte[] code, int end, int distance);

  // The kernel.

  /** Whether a system call instruction ends right before {@code code[end]}. */
  public abstract boolean isSystemCallBefore(byte[] code, int end);

  /** Whether a system call that makes a thread ends at or before {@code code[end]}. */
  public abstract boolean isCloneWithin(byte[] code, int end);

  /** The byte, or -1 outside of what was copied. */
  public static int at(byte[] code, int i) {
    return i >= 0 && i < code.length ? code[i] & 0xff : -1;
  }
}
