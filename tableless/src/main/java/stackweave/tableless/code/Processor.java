package stackweave.tableless.code;

import java.util.function.IntUnaryOperator;

/**
 * What the analysis of native code has to know of a processor. Each one has a package with an
 * implementation; all other code asks this interface. Registers go by DWARF number. Stateless.
 */
public interface Processor {
  /** Bytes of a word. */
  int WORD = 8;

  /** Bytes of a function that hold the jump of a stub of a linkage table. */
  int STUB_BYTES = 24;

  /** Stands for the row of an instruction that unwind tables have none for. */
  int NO_ROW = Integer.MIN_VALUE;

  /** The same where the CFA is not computed from the stack pointer. */
  int NOT_BY_SP = NO_ROW + 1;

  /** {@link #bytesBelowFp} of a function that is not understood. */
  int UNKNOWN = -1;

  /** The byte, or -1 outside of what was copied. */
  static int at(byte[] code, int i) {
    return i >= 0 && i < code.length ? code[i] & 0xff : -1;
  }

  /** Four bytes as a number; bytes outside of what was copied are ones. */
  static int i4(byte[] code, int i) {
    return at(code, i) | at(code, i + 1) << 8 | at(code, i + 2) << 16 | at(code, i + 3) << 24;
  }

  /** How many bytes a call pushes on the stack: those of the return address, or none. */
  int callBytes();

  /** The register with what a system call returns. */
  int systemCallResult();

  /** Whether a system call instruction ends right before {@code code[end]}. */
  boolean isSystemCallBefore(byte[] code, int end);

  /** Whether a system call that makes a thread ends at or before {@code code[end]}. */
  boolean isCloneWithin(byte[] code, int end);

  /**
   * Whether the system call by which a signal handler returns ends right before {@code code[end]}.
   */
  boolean isSignalReturnBefore(byte[] code, int end);

  /**
   * The instructions by which musl gives a thread's stack back and ends the thread, {@code munmap}
   * and {@code exit} (src/thread/.../__unmapself.s): in either system call there is no caller.
   */
  byte[] endOfStack();

  /** How far in {@link #endOfStack} the first of its system calls ends, in bytes. */
  int endOfStackCall();

  /** Whether {@code code[i]} returns. */
  boolean isReturn(byte[] code, int i);

  /** Bytes of the shortest instruction that returns. */
  int returnLength();

  /**
   * Whether {@code code} begins with a jump to where a word of data leads: a stub of a procedure
   * linkage table, or another call in tail position.
   */
  boolean isLinkageStub(byte[] code);

  /**
   * How far below its frame pointer the stack of a native function reaches, by the instructions
   * that it begins with: what it pushes and reserves once the frame pointer is set, up to the first
   * jump or call. Right for a function that keeps its stack at that size from there on.
   *
   * @param code of the function, from its start
   * @param length how many bytes of it are there
   * @return in bytes; {@link #UNKNOWN} if the function doesn't set a frame pointer, or changes its
   *     stack in a way that is not understood: in a loop, or further behind a jump or call
   */
  int bytesBelowFp(byte[] code, int length);

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
  boolean contradicts(byte[] code, int length, IntUnaryOperator rows);

  /** Finds native functions' callers by the ways through their code. */
  CodePaths paths();
}
