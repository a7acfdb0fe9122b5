package stackweave.linux;

import java.io.IOException;
import stackweave.maps.proc.PlainFiles;

/** The effective capabilities of the calling thread (capabilities(7)). Stateless. */
public final class Capabilities {
  private static final String STATUS = "/proc/thread-self/status";
  private static final String LINE = "CapEff:";
  private static final int IPC_LOCK = 14;
  private static final int SYS_ADMIN = 21;

  private Capabilities() {}

  /** Whether memory may be locked without limit; false if that can't be read. */
  public static boolean hasIpcLock() {
    return has(IPC_LOCK);
  }

  /** Whether BPF programs may be listed on all kernels; false if that can't be read. */
  public static boolean hasSysAdmin() {
    return has(SYS_ADMIN);
  }

  private static boolean has(int capability) {
    try {
      for (String line : PlainFiles.lines(STATUS)) {
        if (line.startsWith(LINE)) {
          String digits = line.substring(LINE.length()).strip();
          return (Long.parseUnsignedLong(digits, 16) >>> capability & 1) != 0;
        }
      }
    } catch (IOException | NumberFormatException e) {
      return false;
    }
    return false;
  }
}
