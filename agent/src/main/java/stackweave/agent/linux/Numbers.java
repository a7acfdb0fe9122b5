package stackweave.agent.linux;

/** Numbers that the kernel's interface has per architecture. */
final class Numbers {
  private static final SystemCalls ARCHITECTURE =
      SystemCalls.current()
          .orElseThrow(() -> new UnsupportedOperationException("only on x86-64 and AArch64"));

  private Numbers() {}

  /** The one of the running JVM. */
  static int of(int x86, int aarch64) {
    return switch (ARCHITECTURE) {
      case X86_64 -> x86;
      case AARCH64 -> aarch64;
    };
  }
}
