package stackweave.cpu.aarch64;

/**
 * Constants of the kernel's file interface that depend on the processor. Source:
 * arch/arm64/include/uapi/asm/fcntl.h.
 */
public final class FileInterface {
  public static final int O_DIRECTORY = 040000;
  public static final int O_NOFOLLOW = 0100000;

  private FileInterface() {}
}
