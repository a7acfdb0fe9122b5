package stackweave.unwind.x86_64;

/**
 * x86-64 code that is known by its instructions: the sigreturn trampoline, and where musl begins
 * threads and programs.
 */
public final class CodePatterns {
  /** mov rax, 15; syscall. */
  private static final byte[] LONG = {0x48, (byte) 0xc7, (byte) 0xc0, 15, 0, 0, 0, 0x0f, 0x05};

  /** mov eax, 15; syscall. */
  private static final byte[] SHORT = {(byte) 0xb8, 15, 0, 0, 0, 0x0f, 0x05};

  private static final int SYSCALL_BYTES = 2;

  /** mov edi, eax; xor eax, eax; mov al, 60; syscall (src/thread/x86_64/clone.s). */
  private static final byte[] EXIT = {
    (byte) 0x89, (byte) 0xc7, 0x31, (byte) 0xc0, (byte) 0xb0, 60, 0x0f, 0x05
  };

  /** xor rbp, rbp; mov rdi, rsp (arch/x86_64/crt_arch.h). */
  private static final byte[] START = {0x48, 0x31, (byte) 0xed, 0x48, (byte) 0x89, (byte) 0xe7};

  /** and rsp, -16; call. */
  private static final byte[] START_CALL = {
    0x48, (byte) 0x83, (byte) 0xe4, (byte) 0xf0, (byte) 0xe8
  };

  private static final int START_BYTES = 22;
  private static final int START_CALL_BYTES = 9;

  private CodePatterns() {}

  /**
   * Whether this is the trampoline: at its first instruction or, interrupted, at its system call.
   *
   * @param code with 32 readable bytes on either side of {@code at}
   */
  public static boolean isSigreturn(byte[] code, int at, boolean interrupted) {
    return is(LONG, code, at)
        || is(SHORT, code, at)
        || (interrupted
            && (is(LONG, code, at + SYSCALL_BYTES - LONG.length)
                || is(SHORT, code, at + SYSCALL_BYTES - SHORT.length)));
  }

  /**
   * Whether this is behind the call by which musl begins a thread or a program: nothing has called
   * that code.
   *
   * @param code with 32 readable bytes on either side of {@code at}
   */
  public static boolean isFirst(byte[] code, int at) {
    boolean calledByRegister = code[at - 2] == (byte) 0xff && (code[at - 1] & 0xf8) == 0xd0;
    return calledByRegister && is(EXIT, code, at)
        || is(START, code, at - START_BYTES) && is(START_CALL, code, at - START_CALL_BYTES);
  }

  private static boolean is(byte[] pattern, byte[] code, int at) {
    for (int i = 0; i < pattern.length; i++) {
      if (code[at + i] != pattern[i]) {
        return false;
      }
    }
    return true;
  }
}
