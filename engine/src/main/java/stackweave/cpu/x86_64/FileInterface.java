package stackweave.cpu.x86_64;

/**
 * Constants of the kernel's file interface that depend on the processor. Source:
 * include/uapi/asm-generic/fcntl.h.
 */
public final class FileInterface {
  public static final int O_DIRECTORY = 0200000;
  public static final int O_NOFOLLOW = 0400000;

  private FileInterface() {}
}
