package stackweave.linux;

/** Values of errno in use (asm-generic/errno-base.h and errno.h; the same on every 64-bit ABI). */
public final class Errno {
  public static final int EPERM = 1;
  public static final int ENOENT = 2;
  public static final int ESRCH = 3;
  public static final int EINTR = 4;
  public static final int E2BIG = 7;
  public static final int EAGAIN = 11;
  public static final int ENOMEM = 12;
  public static final int EACCES = 13;
  public static final int EEXIST = 17;
  public static final int ENODEV = 19;
  public static final int ENOTDIR = 20;
  public static final int EINVAL = 22;
  public static final int ENFILE = 23;
  public static final int EMFILE = 24;
  public static final int ENOSPC = 28;
  public static final int EROFS = 30;
  public static final int ENOSYS = 38;
  public static final int ELOOP = 40;
  public static final int EOPNOTSUPP = 95;
  public static final int ECONNREFUSED = 111;

  private Errno() {}

  /** The symbol of errno(3), or {@code errno 117} for a value not listed here. */
  public static String name(int errno) {
    return switch (errno) {
      case EPERM -> "EPERM";
      case ENOENT -> "ENOENT";
      case ESRCH -> "ESRCH";
      case EINTR -> "EINTR";
      case E2BIG -> "E2BIG";
      case EAGAIN -> "EAGAIN";
      case ENOMEM -> "ENOMEM";
      case EACCES -> "EACCES";
      case EEXIST -> "EEXIST";
      case ENODEV -> "ENODEV";
      case ENOTDIR -> "ENOTDIR";
      case EINVAL -> "EINVAL";
      case ENFILE -> "ENFILE";
      case EMFILE -> "EMFILE";
      case ENOSPC -> "ENOSPC";
      case EROFS -> "EROFS";
      case ENOSYS -> "ENOSYS";
      case ELOOP -> "ELOOP";
      case EOPNOTSUPP -> "EOPNOTSUPP";
      case ECONNREFUSED -> "ECONNREFUSED";
      default -> "errno " + errno;
    };
  }
}
