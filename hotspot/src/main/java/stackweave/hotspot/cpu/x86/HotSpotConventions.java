package stackweave.hotspot.cpu.x86;

import java.util.function.LongPredicate;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.InterpreterEdge;
import stackweave.hotspot.cpu.PartialFrame;
import stackweave.hotspot.cpu.StackDepth;
import stackweave.unwind.Architecture;

/**
 * HotSpot on x86-64, the same in JDK 17, 21 and 25 ({@code frame_x86.hpp}, {@code
 * stubGenerator_x86_64.cpp}, {@code templateInterpreterGenerator_x86.cpp}). Instruction sequences
 * are in {@link CodePatterns}.
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

  @Override
  public Architecture architecture() {
    return Architecture.X86_64;
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

  @Override
  public int systemCallResult() {
    return RegisterNumbers.RAX;
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
    return new TemplateInterpreter(returnAddresses, bytecodes);
  }

  @Override
  public StackDepth stackDepth() {
    return new FunctionStack();
  }

  @Override
  public int maxCallBytes() {
    return CodePatterns.MAX_CALL_BYTES;
  }

  @Override
  public int maxKnownCallBytes() {
    return CodePatterns.MAX_KNOWN_CALL_BYTES;
  }

  @Override
  public boolean isCallBefore(byte[] code, int end) {
    return CodePatterns.isCallBefore(code, end);
  }

  @Override
  public long callTarget(byte[] code, int end, long pc) {
    return CodePatterns.callTarget(code, end, pc);
  }

  @Override
  public int maxPopsBytes() {
    return CodePatterns.MAX_POPS_BYTES;
  }

  @Override
  public int popsAt(byte[] code) {
    return CodePatterns.popsAt(code);
  }

  @Override
  public int jumpRegister(byte[] code, int i) {
    return CodePatterns.jumpRegister(code, i);
  }

  @Override
  public PartialFrame inPrologue(byte[] code, int entry, int pc, int limit) {
    return CodePatterns.inPrologue(code, entry, pc, limit);
  }

  @Override
  public PartialFrame inEpilogue(byte[] code, int pc) {
    return CodePatterns.inEpilogue(code, pc);
  }

  @Override
  public PartialFrame frameless() {
    return CodePatterns.FRAMELESS;
  }

  @Override
  public boolean isReturn(byte[] code, int i) {
    return CodePatterns.isReturn(code, i);
  }

  @Override
  public int fpPushLength() {
    return 1;
  }

  @Override
  public boolean isFpPush(byte[] code, int i) {
    return CodePatterns.isPushFp(code, i);
  }

  @Override
  public boolean isEnter(byte[] code, int i) {
    return CodePatterns.isPushFp(code, i) && CodePatterns.isMoveOfSpToFp(code, i + 1);
  }

  @Override
  public int enterLength() {
    return 4;
  }

  @Override
  public boolean isLinkOnTop(byte[] code, int i) {
    return isEnter(code, i - 1)
        || CodePatterns.isPopFp(code, i) && CodePatterns.isReturn(code, i + 1);
  }

  @Override
  public boolean isSavingFp(byte[] code, int i) {
    return CodePatterns.isSavingFp(code, i);
  }

  @Override
  public boolean isThrowingPcPoppedBefore(byte[] code, int end, int distance) {
    return CodePatterns.isRdxPoppedBefore(code, end, distance);
  }

  @Override
  public boolean isSystemCallBefore(byte[] code, int end) {
    return CodePatterns.isSystemCallBefore(code, end);
  }

  @Override
  public boolean isCloneWithin(byte[] code, int end) {
    return CodePatterns.isCloneWithin(code, end);
  }
}
