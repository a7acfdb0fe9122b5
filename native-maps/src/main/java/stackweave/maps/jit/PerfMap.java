package stackweave.maps.jit;

/**
 * Reads a perf map, {@code /tmp/perf-PID.map}: lines of a start and a size in hexadecimal digits
 * and a name (tools/perf/Documentation/jit-interface.txt of the kernel's sources). Lines of any
 * other form are left out, as perf does, and so is a last line that is not written to its end yet.
 */
public final class PerfMap {
  private PerfMap() {}

  /**
   * Adds the functions of a file.
   *
   * @throws JitFormatException if there are too many; those before are added
   */
  public static void read(byte[] file, JitSymbols to) throws JitFormatException {
    to.source("");
    int line = 0;
    for (int at = 0; at < file.length; at++) {
      if (file[at] == '\n') {
        line(file, line, at, to);
        line = at + 1;
      }
    }
  }

  private static void line(byte[] file, int from, int end, JitSymbols to)
      throws JitFormatException {
    int afterStart = space(file, from, end);
    int afterSize = space(file, afterStart + 1, end);
    long start = number(file, from, afterStart);
    long size = number(file, afterStart + 1, afterSize);
    if (start > 0 && size > 0) {
      to.add(start, size, file, afterSize + 1, end - afterSize - 1);
    }
  }

  private static int space(byte[] file, int from, int end) {
    int at = from;
    while (at < end && file[at] != ' ') {
      at++;
    }
    return Math.min(at, end);
  }

  /** A hexadecimal number, which may begin with 0x; −1 if there is none of 1 to 16 digits. */
  private static long number(byte[] file, int from, int end) {
    int at = end - from > 2 && file[from] == '0' && file[from + 1] == 'x' ? from + 2 : from;
    if (end <= at || end - at > 16) {
      return -1;
    }
    long value = 0;
    for (; at < end; at++) {
      int digit = Character.digit((char) (file[at] & 0xff), 16);
      if (digit < 0) {
        return -1;
      }
      value = value << 4 | digit;
    }
    return value;
  }
}
