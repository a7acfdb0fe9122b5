package stackweave.tableless.x86;

import static stackweave.tableless.code.Processor.at;
import static stackweave.tableless.code.Processor.i4;

import java.util.function.IntUnaryOperator;
import stackweave.tableless.code.CodePaths;
import stackweave.tableless.code.Processor;

/** Native code of x86-64 (System V ABI, AMD64 supplement; Linux system calls). Stateless. */
public final class NativeCode implements Processor {
  private static final int RAX = 0;
  private static final int SYS_CLONE = 56;
  private static final int SYS_CLONE3 = 435;
  private static final int CLONE_CALL_LENGTH = 7;

  @Override
  public int callBytes() {
    return WORD;
  }

  @Override
  public int systemCallResult() {
    return RAX;
  }

  @Override
  public boolean isSystemCallBefore(byte[] code, int end) {
    return at(code, end - 2) == 0x0f && at(code, end - 1) == 0x05;
  }

  /** {@code mov eax, SYS_clone3 (or SYS_clone); syscall}. */
  @Override
  public boolean isCloneWithin(byte[] code, int end) {
    for (int i = end; i >= CLONE_CALL_LENGTH; i--) {
      int number = i4(code, i - 6);
      if (isSystemCallBefore(code, i)
          && at(code, i - CLONE_CALL_LENGTH) == 0xb8
          && (number == SYS_CLONE3 || number == SYS_CLONE)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean isReturn(byte[] code, int i) {
    return at(code, i) == 0xc3 || at(code, i) == 0xc2;
  }

  @Override
  public int returnLength() {
    return 1;
  }

  /** {@code endbr64; bnd jmp} through a word that is found by the pc: no table of a switch is. */
  @Override
  public boolean isLinkageStub(byte[] code) {
    int i = at(code, 0) == 0xf3 && at(code, 1) == 0x0f && at(code, 2) == 0x1e ? 4 : 0;
    i += at(code, i) == 0xf2 ? 1 : 0;
    return at(code, i) == 0xff && at(code, i + 1) == 0x25;
  }

  @Override
  public int bytesBelowFp(byte[] code, int length) {
    return Prologue.bytesBelowFp(code, length);
  }

  @Override
  public boolean contradicts(byte[] code, int length, IntUnaryOperator rows) {
    return RowCheck.contradicts(code, length, rows);
  }

  @Override
  public CodePaths paths() {
    return new Forward();
  }
}
