package stackweave.cpu.x86_64;

/**
 * Constants of the kernel's file interface that depend on the processor. Source:
 * include/uapi/asm-generic/fcntl.h, struct stat of arch/x86/include/uapi/asm/stat.h.
 */
public final class FileInterface {
  public static final int O_DIRECTORY = 0200000;
  public static final int O_NOFOLLOW = 0400000;

  /** Offset of st_nlink in struct stat, in bytes. */
  public static final int STAT_LINKS_OFFSET = 16;

  public static final int STAT_LINKS_BYTES = 8;

  private FileInterface() {}
}
