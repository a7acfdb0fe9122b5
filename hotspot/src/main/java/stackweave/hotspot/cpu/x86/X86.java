package stackweave.hotspot.cpu.x86;

import java.util.function.LongPredicate;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.InterpreterEdge;
import stackweave.hotspot.cpu.PartialFrame;
import stackweave.hotspot.cpu.StackDepth;
import stackweave.unwind.Architecture;

/**
 * x86-64. The same in 17, 21 and 25 ({@code frame_x86.hpp}, {@code stubGenerator_x86_64.cpp},
 * {@code templateInterpreterGenerator_x86.cpp}); the instruction sequences are in {@link X86Code}.
 */
public final class X86 extends Cpu {
  // Registers by DWARF number.
  static final int RAX = 0;
  static final int RDX = 1;
  static final int RBX = 3;
  static final int RBP = 6;
  static final int R12 = 12;
  static final int R13 = 13;
  static final int R14 = 14;
  static final int R15 = 15;

  /** The slot with the bytecode pointer, bytes from rbp. */
  private static final int BYTECODE_POINTER_SLOT = -8 * WORD;

  private static final int[] CALL_STUB_REGISTERS = {RBX, R12, R13, R14, R15};

  /** Bytes from rbp. */
  private static final int[] CALL_STUB_SLOTS = {
    -7 * WORD, -8 * WORD, -9 * WORD, -10 * WORD, -11 * WORD
  };

  @Override
  public Architecture architecture() {
    return Architecture.X86_64;
  }

  @Override
  public int thread() {
    return R15;
  }

  @Override
  public int method() {
    return RBX;
  }

  @Override
  public int senderSp() {
    return R13;
  }

  @Override
  public int bytecodePointer() {
    return R13;
  }

  @Override
  public int movedReturnAddress() {
    return RAX;
  }

  @Override
  public int throwingPc() {
    return RDX;
  }

  @Override
  public int systemCallResult() {
    return RAX;
  }

  @Override
  public int callBytes() {
    return WORD;
  }

  @Override
  public long returnAddress(long word) {
    return word;
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
    return new X86InterpreterEdge(returnAddresses, bytecodes);
  }

  @Override
  public StackDepth stackDepth() {
    return new X86Function();
  }

  @Override
  public int longestCall() {
    return X86Code.LONGEST_CALL;
  }

  @Override
  public int longestKnownCall() {
    return X86Code.LONGEST_KNOWN_CALL;
  }

  @Override
  public boolean isCallBefore(byte[] code, int end) {
    return X86Code.isCallBefore(code, end);
  }

  @Override
  public long callTarget(byte[] code, int end, long pc) {
    return X86Code.callTarget(code, end, pc);
  }

  @Override
  public int longestPops() {
    return X86Code.LONGEST_POPS;
  }

  @Override
  public int popsAt(byte[] code) {
    return X86Code.popsAt(code);
  }

  @Override
  public int jumpRegister(byte[] code, int i) {
    return X86Code.jumpRegister(code, i);
  }

  @Override
  public PartialFrame inPrologue(byte[] code, int entry, int pc, int limit) {
    return X86Code.inPrologue(code, entry, pc, limit);
  }

  @Override
  public PartialFrame inEpilogue(byte[] code, int pc) {
    return X86Code.inEpilogue(code, pc);
  }

  @Override
  public PartialFrame frameless() {
    return X86Code.FRAMELESS;
  }

  @Override
  public boolean isReturn(byte[] code, int i) {
    return X86Code.isReturn(code, i);
  }

  @Override
  public int fpPushLength() {
    return 1;
  }

  @Override
  public boolean isFpPush(byte[] code, int i) {
    return X86Code.isPushFp(code, i);
  }

  @Override
  public boolean isEnter(byte[] code, int i) {
    return X86Code.isPushFp(code, i) && X86Code.isMoveOfSpToFp(code, i + 1);
  }

  @Override
  public int enterLength() {
    return 4;
  }

  @Override
  public boolean isLinkOnTop(byte[] code, int i) {
    return isEnter(code, i - 1) || X86Code.isPopFp(code, i) && X86Code.isReturn(code, i + 1);
  }

  @Override
  public boolean isSavingFp(byte[] code, int i) {
    return X86Code.isSavingFp(code, i);
  }

  @Override
  public boolean isThrowingPcPoppedBefore(byte[] code, int end, int distance) {
    return X86Code.isRdxPoppedBefore(code, end, distance);
  }

  @Override
  public boolean isSystemCallBefore(byte[] code, int end) {
    return X86Code.isSystemCallBefore(code, end);
  }

  @Override
  public boolean isCloneWithin(byte[] code, int end) {
    return X86Code.isCloneWithin(code, end);
  }
}
