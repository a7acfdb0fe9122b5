package stackweave.unwind.s390x;

/** s390x code that is known by its instructions: the sigreturn trampoline. */
public final class CodePatterns {
  // svc 173
  private static final byte SVC = 0x0a;
  private static final byte RT_SIGRETURN = (byte) 173;

  private CodePatterns() {}

  /**
   * Whether this is the trampoline, which is one instruction.
   *
   * @param code with 32 readable bytes on either side of {@code at}
   */
  public static boolean isSigreturn(byte[] code, int at) {
    return code[at] == SVC && code[at + 1] == RT_SIGRETURN;
  }
}
