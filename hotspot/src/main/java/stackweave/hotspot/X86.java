package stackweave.hotspot;

/**
 * What HotSpot hard-codes for x86-64 and does not describe in vmStructs: frame slots (words from
 * rbp), register roles. Same in 17, 21 and 25 ({@code frame_x86.hpp}, {@code
 * stubGenerator_x86_64.cpp}, {@code templateInterpreterGenerator_x86.cpp}).
 */
final class X86 {
  static final int WORD = 8;

  // Registers by DWARF number.
  static final int RAX = 0;
  static final int RDX = 1;
  static final int RBX = 3;
  static final int RBP = 6;
  static final int RSP = 7;
  static final int R12 = 12;
  static final int R13 = 13;
  static final int R14 = 14;

  /** Holds the JavaThread in all Java code. */
  static final int R15 = 15;

  // Every frame with a frame pointer.
  static final int SAVED_FP = 0;
  static final int RETURN_ADDRESS = WORD;
  static final int FRAME_LINK_BYTES = 2 * WORD;

  // Interpreter frame, bytes from rbp.
  static final int SENDER_SP = -1 * WORD;
  static final int METHOD = -3 * WORD;
  static final int BCP = -8 * WORD;

  /** From rbp down to the last slot that an interpreter frame always has. */
  static final int INTERPRETER_FIXED_BYTES = 9 * WORD;

  // Call stub frame, bytes from rbp: callee-saved registers of the C++ code that calls Java.
  static final int CALL_STUB_RBX = -7 * WORD;
  static final int CALL_STUB_R12 = -8 * WORD;
  static final int CALL_STUB_R13 = -9 * WORD;
  static final int CALL_STUB_R14 = -10 * WORD;
  static final int CALL_STUB_R15 = -11 * WORD;

  /** Slot of a nmethod entry barrier's frame that says so, instead of a return address. */
  static final long ENTRY_BARRIER_MARK = -1;

  private X86() {}
}
