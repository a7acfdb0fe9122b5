package stackweave.cpu.aarch64;

/**
 * Constants of the kernel's file interface that depend on the processor. Source:
 * arch/arm64/include/uapi/asm/fcntl.h, struct stat of include/uapi/asm-generic/stat.h.
 */
public final class FileInterface {
  public static final int O_DIRECTORY = 040000;
  public static final int O_NOFOLLOW = 0100000;

  /** Offset of st_nlink in struct stat, in bytes. */
  public static final int STAT_LINKS_OFFSET = 20;

  public static final int STAT_LINKS_BYTES = 4;

  private FileInterface() {}
}
