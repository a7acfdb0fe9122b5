package stackweave.linux;

import java.io.IOException;
import stackweave.maps.proc.PlainFiles;

/** The effective capabilities of the calling thread (capabilities(7)). Stateless. */
public final class Capabilities {
  private static final String STATUS = "/proc/thread-self/status";
  private static final String LINE = "CapEff:";
  private static final int IPC_LOCK = 14;

  private Capabilities() {}

  /** Whether memory may be locked without limit; false if that can't be read. */
  public static boolean hasIpcLock() {
    try {
      for (String line : PlainFiles.lines(STATUS)) {
        if (line.startsWith(LINE)) {
          String digits = line.substring(LINE.length()).strip();
          return (Long.parseUnsignedLong(digits, 16) >>> IPC_LOCK & 1) != 0;
        }
      }
    } catch (IOException | NumberFormatException e) {
      return false;
    }
    return false;
  }
}
