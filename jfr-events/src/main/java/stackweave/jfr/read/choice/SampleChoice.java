package stackweave.jfr.read.choice;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.event.ThreadState;

/**
 * Which samples of a recording are read; by default those of CPU time, so that waiting time is not
 * added to it. Immutable.
 */
public final class SampleChoice {
  /** CPU time alone, of all states. */
  public static final SampleChoice CPU = new SampleChoice(false, Set.of(), "", Map.of(), false);

  /**
   * Samples of all sorts, which nobody may add up: {@link stackweave.jfr.read.SampleSum} says of
   * which each is. Memory is as it was taken and given back, also where nothing is left. The
   * methods on weights and states mean those of CPU time.
   */
  public static final SampleChoice EVERYTHING =
      new SampleChoice(false, Set.of(), "", Map.of(), false);

  /** Wall-clock time: CPU time and waiting. */
  public static final SampleChoice WALL = new SampleChoice(true, Set.of(), "", Map.of(), false);

  /** Any state but on a CPU and waiting for one. */
  private static final String ANY_BLOCKED = "blocked";

  private static final String ANY_SYSTEM_CALL = "system call";

  /** Names for several states, and shorter names for one. */
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

  /** Empty for samples of time. */
  private final String event;

  /** Chosen values by key; empty for all samples. */
  private final Map<String, Set<String>> labels;

  /** Whether samples of time are JFR's own where the recording has none of the agent. */
  private final boolean isOrOfJdk;

  private SampleChoice(
      boolean isWall,
      Set<String> states,
      String event,
      Map<String, Set<String>> labels,
      boolean isOrOfJdk) {
    this.isWall = isWall;
    this.states = states;
    this.event = event;
    this.labels = labels;
    this.isOrOfJdk = isOrOfJdk;
  }

  /**
   * The samples of an event, and none of time.
   *
   * @param event its name, as the recording has it, such as page-faults; or one of {@link
   *     JdkEvent}, or the name of any event with a stack trace of JFR's own, such as jdk.FileRead
   */
  public static SampleChoice ofEvent(String event) {
    return new SampleChoice(false, Set.of(), event, Map.of(), false);
  }

  /**
   * The same samples of time; where the recording has no sample of the agent, those that JFR itself
   * or another profiler took.
   */
  public SampleChoice orOfJdk() {
    return new SampleChoice(isWall, states, event, labels, true);
  }

  /** The same states and labels of an event, as {@link #ofEvent} has it. */
  public SampleChoice withEvent(String other) {
    return new SampleChoice(false, states, other, labels, isOrOfJdk);
  }

  /** Whether samples of time may be JFR's own. */
  public boolean isOrOfJdk() {
    return isOrOfJdk && !isEvent();
  }

  /** Whether the samples are events with stack traces of JFR's own, and none of the agent. */
  public boolean isOfJdk() {
    return isEvent() && JdkEvent.isOne(event);
  }

  /** Whether all samples have the weight 1, so that their number says all. */
  public boolean isCounted() {
    return isOfJdk() && unit() == WeightUnit.EVENTS;
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
    return new SampleChoice(isWaiting, Set.copyOf(states), "", Map.of(), false);
  }

  /**
   * Narrows this choice to samples with some labels.
   *
   * @param pairs each {@code key=value}; samples need all keys, each with one of its values. Empty
   *     for all samples
   * @throws IllegalArgumentException if one has no {@code =}
   */
  public SampleChoice withLabels(Collection<String> pairs) {
    Map<String, Set<String>> chosen = new HashMap<>();
    for (String pair : pairs) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException("'" + pair + "' is no label: key=value");
      }
      chosen
          .computeIfAbsent(pair.substring(0, equals), key -> new HashSet<>())
          .add(pair.substring(equals + 1));
    }
    return new SampleChoice(isWall, states, event, chosen, isOrOfJdk);
  }

  /** Whether samples are read whatever labels they have, and without any. */
  public boolean hasAllLabels() {
    return labels.isEmpty();
  }

  /** Whether samples with these labels are read. */
  public boolean takesLabels(Map<String, String> own) {
    for (Map.Entry<String, Set<String>> label : labels.entrySet()) {
      String value = own.get(label.getKey());
      if (value == null || !label.getValue().contains(value)) {
        return false;
      }
    }
    return true;
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

  /** Whether samples of an event are read: weights are counts then, and no time. */
  public boolean isEvent() {
    return !event.isEmpty();
  }

  /** Whether weights differ between samples, so that the number of samples says little. */
  public boolean isByWeight() {
    return isWall || isEvent();
  }

  /** Whether these are the samples that are read without another choice. */
  public boolean isUsual() {
    return !isWall && !isEvent() && hasAllStates() && hasAllLabels();
  }

  /** Whether samples of an event are read, by its name in the recording. */
  public boolean takesEvent(String name) {
    return isEvent() && event.equals(name);
  }

  /** What the weights of the samples are counted in. */
  public WeightUnit unit() {
    return !isEvent()
        ? WeightUnit.NANOSECONDS
        : SampledEvent.isMemory(event) ? WeightUnit.BYTES : JdkEvent.unit(event);
  }

  /** The type of the weights in formats that have types: cpu, wall, or the event. */
  public String type() {
    return isEvent() ? event : isWall ? "wall" : "cpu";
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

  /** What the weights of the samples are: "CPU time", "wall time", or the event. */
  public String time() {
    return isEvent()
        ? isOfJdk() ? event.replace('-', ' ') : event
        : isWall ? "wall time" : "CPU time";
  }
}
