package stackweave.linux;

import java.io.IOException;
import java.util.Set;
import stackweave.maps.proc.PlainFiles;

/**
 * Decides which {@link GuardedCall}s may be made: all if there is no seccomp filter, else those
 * that the user has allowed by an option. Whether a filter answers a call with an error or kills
 * the process can't be found out without trying. A filter belongs to a thread and is inherited by
 * new threads, so a policy holds for the thread that it was made on. Immutable.
 */
public final class CallPolicy {
  private static final String OF_THREAD = "/proc/thread-self/status";
  private static final String OF_PROCESS = "/proc/self/status";
  private static final String LINE = "Seccomp:";
  private static final String NO_FILTER = "0";

  private final boolean filtered;
  private final Set<GuardedCall> allowed;

  CallPolicy(boolean filtered, Set<GuardedCall> allowed) {
    this.filtered = filtered;
    this.allowed = Set.copyOf(allowed);
  }

  /**
   * The policy for the calling thread.
   *
   * @param allowed calls that may be made under a filter, too
   */
  public static CallPolicy ofThread(Set<GuardedCall> allowed) {
    return new CallPolicy(filter() != Filter.NONE, allowed);
  }

  /** Whether the thread was under a seccomp filter, or may have been, when this was made. */
  public boolean filtered() {
    return filtered;
  }

  /** Whether the calling thread may make this call. */
  public boolean allows(GuardedCall call) {
    return !filtered || allowed.contains(call);
  }

  /** Whether the calling thread is under a seccomp filter. */
  public enum Filter {
    NONE,
    FILTERED,
    /** /proc can't be read, as when all file descriptors are in use. */
    UNKNOWN
  }

  /**
   * The filter of the calling thread. proc_pid_status(5): Seccomp is 0 for none, 1 for strict mode,
   * 2 for a filter; a kernel without seccomp has no such line.
   */
  public static Filter filter() {
    try {
      return filter(OF_THREAD);
    } catch (IOException e) {
      // before Linux 3.17
    }
    try {
      return filter(OF_PROCESS);
    } catch (IOException e) {
      return Filter.UNKNOWN;
    }
  }

  private static Filter filter(String status) throws IOException {
    for (String line : PlainFiles.lines(status)) {
      if (line.startsWith(LINE)) {
        boolean none = line.substring(LINE.length()).strip().equals(NO_FILTER);
        return none ? Filter.NONE : Filter.FILTERED;
      }
    }
    return Filter.NONE;
  }
}
