package stackweave.engine;

/** The kernel's release, by uname, as far as engines depend on it. */
public record KernelVersion(int major, int minor) implements Comparable<KernelVersion> {
  /**
   * The first version in which the signal of a CPU timer waits until the thread returns to user
   * mode, on x86-64: CONFIG_POSIX_CPU_TIMERS_TASK_WORK (arch/x86/Kconfig).
   */
  public static final KernelVersion TIMERS_WAIT = new KernelVersion(5, 9);

  /** The version of the running kernel. */
  public static KernelVersion current() {
    return of(System.getProperty("os.version", ""));
  }

  /** The version of a release like {@code 5.10.0-32-amd64}; an unknown form counts as new. */
  public static KernelVersion of(String release) {
    // Not by a pattern: to compile it takes a millisecond, and the first sample waits.
    int dot = digitsEnd(release, 0);
    int end = release.startsWith(".", dot) ? digitsEnd(release, dot + 1) : 0;
    boolean isKnown = dot > 0 && end > dot + 1 && !isWord(release, end);
    return isKnown
        ? new KernelVersion(
            Integer.parseInt(release, 0, dot, 10), Integer.parseInt(release, dot + 1, end, 10))
        : new KernelVersion(Integer.MAX_VALUE, 0);
  }

  /** Where up to four digits end. */
  private static int digitsEnd(String text, int from) {
    int end = from;
    while (end < text.length() && end < from + 4 && isDigit(text.charAt(end))) {
      end++;
    }
    return end;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isWord(String text, int at) {
    return at < text.length()
        && (Character.isLetterOrDigit(text.charAt(at)) || text.charAt(at) == '_');
  }

  /** Whether it is an older one. */
  public boolean isBefore(KernelVersion other) {
    return compareTo(other) < 0;
  }

  @Override
  public int compareTo(KernelVersion other) {
    return major == other.major
        ? Integer.compare(minor, other.minor)
        : Integer.compare(major, other.major);
  }
}
