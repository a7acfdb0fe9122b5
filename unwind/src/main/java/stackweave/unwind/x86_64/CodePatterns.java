package stackweave.unwind.x86_64;

/** x86-64 code that is known by its instructions: the sigreturn trampoline. */
public final class CodePatterns {
  /** mov rax, 15; syscall. */
  private static final byte[] LONG = {0x48, (byte) 0xc7, (byte) 0xc0, 15, 0, 0, 0, 0x0f, 0x05};

  /** mov eax, 15; syscall. */
  private static final byte[] SHORT = {(byte) 0xb8, 15, 0, 0, 0, 0x0f, 0x05};

  private static final int SYSCALL_BYTES = 2;

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

  private static boolean is(byte[] pattern, byte[] code, int at) {
    for (int i = 0; i < pattern.length; i++) {
      if (code[at + i] != pattern[i]) {
        return false;
      }
    }
    return true;
  }
}
