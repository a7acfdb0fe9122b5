package stackweave.jfr.read.choice;

import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import stackweave.jfr.event.ThreadState;

/**
 * Which samples of a recording are read. Without another choice those of CPU time, so that nothing
 * adds waiting to it. Immutable.
 */
public final class SampleChoice {
  /** CPU time alone, of all states. */
  public static final SampleChoice CPU = new SampleChoice(false, Set.of());

  /** Wall-clock time: CPU time and waiting. */
  public static final SampleChoice WALL = new SampleChoice(true, Set.of());

  /** Any state but on a CPU and waiting for one. */
  private static final String ANY_BLOCKED = "blocked";

  private static final String ANY_SYSTEM_CALL = "system call";

  /** Names for several states, or shorter ones. */
  private static final Map<String, Set<ThreadState>> NAMES =
      Map.of(
          "running", Set.of(ThreadState.ON_CPU),
          "runnable", Set.of(ThreadState.RUNNABLE),
          "disk", Set.of(ThreadState.FILE),
          "poll", Set.of(ThreadState.POLL),
          "futex",
              Set.of(
                  ThreadState.MONITOR,
                  ThreadState.PARK,
                  ThreadState.OBJECT_WAIT,
                  ThreadState.NATIVE_LOCK,
                  ThreadState.VM_LOCK));

  private final boolean isWall;

  /** In lower case; empty for all. */
  private final Set<String> states;

  private SampleChoice(boolean isWall, Set<String> states) {
    this.isWall = isWall;
    this.states = states;
  }

  /**
   * The samples of some states.
   *
   * @param isWall whether samples of waiting threads are read; they also are if a state is one of
   *     waiting
   * @param names labels of states, {@code blocked} for all but the CPU's, {@code running}, {@code
   *     runnable}, {@code futex}, {@code disk}, {@code poll}, {@code system call}; empty for all
   */
  public static SampleChoice of(boolean isWall, Collection<String> names) {
    Set<String> states = new HashSet<>();
    boolean isWaiting = isWall;
    for (String name : names) {
      String lower = name.strip().toLowerCase(Locale.ROOT);
      states.add(lower);
      for (ThreadState state : NAMES.getOrDefault(lower, Set.of())) {
        states.add(lower(state.label()));
        isWaiting |= state != ThreadState.ON_CPU;
      }
      isWaiting |= isOfWaiting(lower);
    }
    return new SampleChoice(isWaiting, Set.copyOf(states));
  }

  private static boolean isOfWaiting(String lower) {
    if (lower.equals(ANY_BLOCKED) || lower.startsWith(ANY_SYSTEM_CALL)) {
      return true;
    }
    for (ThreadState state : ThreadState.values()) {
      if (state != ThreadState.ON_CPU && lower(state.label()).equals(lower)) {
        return true;
      }
    }
    return false;
  }

  private static String lower(String label) {
    return label.toLowerCase(Locale.ROOT);
  }

  /** Whether samples of waiting threads are read, too: weights are wall-clock time then. */
  public boolean isWall() {
    return isWall;
  }

  /** Whether samples of all states are read. */
  public boolean hasAllStates() {
    return states.isEmpty();
  }

  /** Whether samples of a kind are read. */
  public boolean takes(SampleKind kind) {
    return isWall || kind == SampleKind.CPU;
  }

  /** Whether samples of a state are read, by its label in the recording. */
  public boolean takesState(String label) {
    if (states.isEmpty()) {
      return true;
    }
    String lower = lower(label);
    return states.contains(lower)
        || states.contains(ANY_BLOCKED) && ThreadState.isBlocked(label)
        || states.contains(ANY_SYSTEM_CALL) && lower.startsWith(ANY_SYSTEM_CALL);
  }

  /** What the weights of the samples are: "CPU time" or "wall time". */
  public String time() {
    return isWall ? "wall time" : "CPU time";
  }
}
