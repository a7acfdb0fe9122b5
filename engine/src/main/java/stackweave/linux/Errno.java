package stackweave.linux;

import java.lang.reflect.Field;

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
    try {
      for (Field field : Errno.class.getFields()) {
        if (field.getInt(null) == errno) {
          return field.getName();
        }
      }
    } catch (IllegalAccessException e) {
      throw new AssertionError("the fields are public", e);
    }
    return "errno " + errno;
  }
}
