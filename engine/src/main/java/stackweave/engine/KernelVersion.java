package stackweave.engine;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The kernel's release, by uname, as far as engines depend on it. */
public record KernelVersion(int major, int minor) implements Comparable<KernelVersion> {
  /**
   * The first version in which the signal of a CPU timer waits until the thread returns to user
   * mode, on x86-64: CONFIG_POSIX_CPU_TIMERS_TASK_WORK (arch/x86/Kconfig).
   */
  public static final KernelVersion TIMERS_WAIT = new KernelVersion(5, 9);

  private static final Pattern RELEASE = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\b.*");

  /** The version of the running kernel. */
  public static KernelVersion current() {
    return of(System.getProperty("os.version", ""));
  }

  /** The version of a release like {@code 5.10.0-32-amd64}; an unknown form counts as new. */
  public static KernelVersion of(String release) {
    Matcher matcher = RELEASE.matcher(release);
    return matcher.matches()
        ? new KernelVersion(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)))
        : new KernelVersion(Integer.MAX_VALUE, 0);
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
