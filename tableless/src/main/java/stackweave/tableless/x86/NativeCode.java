package stackweave.tableless.x86;

import static stackweave.tableless.code.Processor.at;
import static stackweave.tableless.code.Processor.i4;

import java.util.function.IntUnaryOperator;
import stackweave.tableless.code.CodePaths;
import stackweave.tableless.code.Processor;

/** Native code of x86-64 (System V ABI, AMD64 supplement; Linux system calls). Stateless. */
public final class NativeCode implements Processor {
  private static final int RAX = 0;
  private static final int SYS_SIGRETURN = 15;
  private static final int SYS_CLONE = 56;
  private static final int SYS_CLONE3 = 435;
  private static final int CALL_LENGTH = 7;

  private static final byte[] END_OF_STACK = {
    (byte) 0xb8, 11, 0, 0, 0, 0x0f, 0x05, 0x48, 0x31, (byte) 0xff, (byte) 0xb8, 60, 0, 0, 0, 0x0f, 5
  };

  /** How far behind the call the new thread's first frame may begin. */
  private static final int CLONE_REACH = 25;

  /** xor eax, eax; mov al, 56: how __clone of musl begins (src/thread/x86_64/clone.s). */
  private static final int MUSL_CLONE = 0x38b0_c031;

  /** From there to behind its system call, and on to the call of the thread's function. */
  private static final int MUSL_CLONE_LENGTH = 37;

  private static final int MUSL_CLONE_REACH = 10;

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
    for (int i = end; i >= end - MUSL_CLONE_REACH; i--) {
      if (isSystemCallBefore(code, i) && i4(code, i - MUSL_CLONE_LENGTH) == MUSL_CLONE) {
        return true;
      }
    }
    for (int i = end; i >= Math.max(CALL_LENGTH, end - CLONE_REACH); i--) {
      int number = i4(code, i - 6);
      if (isSystemCallBefore(code, i)
          && at(code, i - CALL_LENGTH) == 0xb8
          && (number == SYS_CLONE3 || number == SYS_CLONE)) {
        return true;
      }
    }
    return false;
  }

  /** mov eax, 11; syscall; xor rdi, rdi; mov eax, 60; syscall. */
  @Override
  public byte[] endOfStack() {
    return END_OF_STACK;
  }

  @Override
  public int endOfStackCall() {
    return CALL_LENGTH;
  }

  /** {@code mov eax (or rax), SYS_rt_sigreturn; syscall}. */
  @Override
  public boolean isSignalReturnBefore(byte[] code, int end) {
    boolean toRegister =
        at(code, end - 7) == 0xb8
            || at(code, end - 9) == 0x48 && at(code, end - 8) == 0xc7 && at(code, end - 7) == 0xc0;
    return isSystemCallBefore(code, end) && i4(code, end - 6) == SYS_SIGRETURN && toRegister;
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
