package stackweave.cpu;

/**
 * Flags of open(2) that depend on the processor. Source: include/uapi/asm-generic/fcntl.h,
 * arch/arm64/include/uapi/asm/fcntl.h.
 */
public final class FileInterface {
  public static final int X86_64_O_DIRECTORY = 0200000;
  public static final int X86_64_O_NOFOLLOW = 0400000;
  public static final int AARCH64_O_DIRECTORY = 040000;
  public static final int AARCH64_O_NOFOLLOW = 0100000;

  private FileInterface() {}
}
