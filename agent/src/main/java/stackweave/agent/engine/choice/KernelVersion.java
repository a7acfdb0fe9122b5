package stackweave.agent.engine.choice;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The kernel's release, as uname says it, as far as engines depend on it. */
record KernelVersion(int major, int minor) implements Comparable<KernelVersion> {
  /**
   * A CPU timer's expiry is left to the thread's way back to user mode (x86-64: 5.9,
   * CONFIG_POSIX_CPU_TIMERS_TASK_WORK). Before, its signal was sent by the tick's interrupt: where
   * that came in a system call which then was about to wait, the wait ended with EINTR.
   */
  static final KernelVersion TIMERS_LEAVE_CALLS_ALONE = new KernelVersion(5, 9);

  /** inherit_thread and remove_on_exec of perf_event_attr. */
  static final KernelVersion EVENTS_STAY_IN_PROCESS = new KernelVersion(5, 13);

  private static final Pattern RELEASE = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\b.*");

  /** That of the running kernel. */
  static KernelVersion current() {
    return of(System.getProperty("os.version", ""));
  }

  /** Of a release like {@code 5.10.0-32-amd64}; one that is not understood is taken to be new. */
  static KernelVersion of(String release) {
    Matcher matcher = RELEASE.matcher(release);
    return matcher.matches()
        ? new KernelVersion(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)))
        : new KernelVersion(Integer.MAX_VALUE, 0);
  }

  boolean isBefore(KernelVersion other) {
    return compareTo(other) < 0;
  }

  @Override
  public int compareTo(KernelVersion other) {
    return major == other.major
        ? Integer.compare(minor, other.minor)
        : Integer.compare(major, other.major);
  }
}
