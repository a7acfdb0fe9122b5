package stackweave.tableless.aarch64;

import java.util.function.IntUnaryOperator;
import stackweave.tableless.code.CodePaths;
import stackweave.tableless.code.Processor;

/** Native code of AArch64 (AAPCS64; Linux system calls). Stateless. */
public final class NativeCode implements Processor {
  /** Bytes of every instruction. */
  static final int LENGTH = 4;

  static final int SYSTEM_CALL = 0xd4000001; // svc #0
  static final int LANDING_PAD = 0xd503245f; // bti c

  /** The register that stubs of linkage tables jump through. */
  static final int LINKAGE_REGISTER = 17;

  private static final int CLONE = 0xd2801b88; // mov x8, #220
  private static final int SIGRETURN = 0xd2801168; // mov x8, #139
  private static final int CLONE3 = 0xd2803668; // mov x8, #435
  private static final int RETURN = 0xd65f03c0; // ret

  private static final byte[] END_OF_STACK = {
    (byte) 0xe8, 0x1a, (byte) 0x80, (byte) 0xd2, 1, 0, 0, (byte) 0xd4,
    (byte) 0xa8, 0x0b, (byte) 0x80, (byte) 0xd2, 1, 0, 0, (byte) 0xd4
  };

  /** How far behind the call the new thread's first frame may begin. */
  private static final int CLONE_REACH = 24;

  /** The instruction, or 0, which is none, outside of what was copied. */
  static int at(byte[] code, int i) {
    return i < 0 || i + LENGTH > code.length ? 0 : Processor.i4(code, i);
  }

  @Override
  public int callBytes() {
    return 0;
  }

  @Override
  public int systemCallResult() {
    return 0;
  }

  @Override
  public boolean isSystemCallBefore(byte[] code, int end) {
    return at(code, end - LENGTH) == SYSTEM_CALL;
  }

  @Override
  public boolean isCloneWithin(byte[] code, int end) {
    for (int i = end; i >= Math.max(2 * LENGTH, end - CLONE_REACH); i -= LENGTH) {
      int number = at(code, i - 2 * LENGTH);
      if (isSystemCallBefore(code, i) && (number == CLONE || number == CLONE3)) {
        return true;
      }
    }
    return false;
  }

  /** mov x8, #215; svc; mov x8, #93; svc. */
  @Override
  public byte[] endOfStack() {
    return END_OF_STACK;
  }

  @Override
  public int endOfStackCall() {
    return 2 * LENGTH;
  }

  @Override
  public boolean isSignalReturnBefore(byte[] code, int end) {
    return isSystemCallBefore(code, end) && at(code, end - 2 * LENGTH) == SIGRETURN;
  }

  @Override
  public boolean isReturn(byte[] code, int i) {
    return at(code, i) == RETURN;
  }

  @Override
  public int returnLength() {
    return LENGTH;
  }

  /** {@code adrp x16; ldr x17; add x16; br x17}, after {@code bti} or not. */
  @Override
  public boolean isLinkageStub(byte[] code) {
    int i = at(code, 0) == LANDING_PAD ? LENGTH : 0;
    return (at(code, i) & 0x9f00_001f) == 0x9000_0010
        && (at(code, i + 3 * LENGTH) & 0xffff_fc1f) == 0xd61f_0000
        && (at(code, i + 3 * LENGTH) >> 5 & 31) == LINKAGE_REGISTER;
  }

  /** Not read: native functions have their frame pointer at the bottom of their frame. */
  @Override
  public int bytesBelowFp(byte[] code, int length) {
    return Processor.UNKNOWN;
  }

  /** Looks at returns only. */
  @Override
  public boolean contradicts(byte[] code, int length, IntUnaryOperator rows) {
    for (int i = 0; i + LENGTH <= length; i += LENGTH) {
      if (isReturn(code, i)) {
        int row = rows.applyAsInt(i);
        if (row != NO_ROW && row != 0) {
          return true;
        }
      }
    }
    return false;
  }

  @Override
  public CodePaths paths() {
    return new Forward();
  }
}
