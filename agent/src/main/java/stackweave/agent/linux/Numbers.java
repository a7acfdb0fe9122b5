package stackweave.agent.linux;

/** Selects numbers of the kernel's interface by architecture. Stateless. */
final class Numbers {
  /** Null on another one. */
  private static final SystemCalls ARCHITECTURE = SystemCalls.current().orElse(null);

  private Numbers() {}

  /** The number for the running JVM's architecture. */
  static int of(int x86, int aarch64) {
    if (ARCHITECTURE == null) {
      throw new UnsupportedOperationException("only on x86-64 and AArch64");
    }
    return switch (ARCHITECTURE) {
      case X86_64 -> x86;
      case AARCH64 -> aarch64;
    };
  }
}
