package stackweave.jfr.read.choice;

import java.util.List;
import java.util.regex.Pattern;
import stackweave.jfr.event.ThreadState;

/**
 * An event with a stack trace of JFR's own, which JFR or another profiler has written, as a sample:
 * what it stands for. Immutable.
 *
 * @param name the event's name
 * @param unit what its amount is counted in
 * @param amount the field that has it: bytes, or a duration in ticks; empty if each event counts 1
 * @param objectClass the field with the class of an object, which is shown as the innermost frame;
 *     empty for none
 * @param state what its thread did: the code of a {@link ThreadState}, or one of those here
 */
public record JdkEvent(String name, WeightUnit unit, String amount, String objectClass, int state) {
  /** The state of threads of which the event says nothing. */
  public static final int NO_STATE = 2_048;

  /** The thread ran Java code, or was ready to. */
  public static final int IN_JAVA = 2_049;

  /** The thread ran native code, or waited in it. */
  public static final int IN_NATIVE = 2_050;

  /** The legend of all states, as of a session. */
  public static final String STATES =
      ThreadState.legend()
          + ","
          + NO_STATE
          + "=,"
          + IN_JAVA
          + "=in Java code,"
          + IN_NATIVE
          + "=in native code";

  /** The name of {@link #EXECUTION_SAMPLE} and {@link #NATIVE_METHOD_SAMPLE}, counted. */
  public static final String EXECUTION_SAMPLES = "execution-samples";

  /** The name of all events of Java objects that were allocated. */
  public static final String ALLOCATIONS = "allocations";

  /** The name of all events of threads that waited for a lock. */
  public static final String LOCK_WAITS = "lock-waits";

  /** A thread in Java code: one of at most five in each period. */
  public static final JdkEvent EXECUTION_SAMPLE =
      new JdkEvent("jdk.ExecutionSample", WeightUnit.EVENTS, "", "", IN_JAVA);

  /** A thread in native code, running or not: one in each period. */
  public static final JdkEvent NATIVE_METHOD_SAMPLE =
      new JdkEvent("jdk.NativeMethodSample", WeightUnit.EVENTS, "", "", IN_NATIVE);

  /** CPU time, by a CPU timer of the thread (JDK 25). */
  public static final JdkEvent CPU_TIME_SAMPLE =
      new JdkEvent(
          "jdk.CPUTimeSample",
          WeightUnit.NANOSECONDS,
          "samplingPeriod",
          "",
          ThreadState.ON_CPU.code());

  /** Wall-clock time, by async-profiler; its weight is a number of its intervals. */
  public static final JdkEvent WALL_CLOCK_SAMPLE =
      new JdkEvent(
          "profiler.WallClockSample",
          WeightUnit.NANOSECONDS,
          "samples",
          "",
          ThreadState.BLOCKED.code());

  /** An allocation that stands for what its thread has allocated since the one before. */
  public static final JdkEvent ALLOCATION_SAMPLE =
      bytes("jdk.ObjectAllocationSample", "weight", "objectClass");

  /** Allocations that JFR wrote before JDK 16 alone, and async-profiler writes. */
  public static final List<JdkEvent> TLAB_ALLOCATIONS =
      List.of(
          bytes("jdk.ObjectAllocationInNewTLAB", "tlabSize", "objectClass"),
          bytes("jdk.ObjectAllocationOutsideTLAB", "allocationSize", "objectClass"));

  /** A thread in LockSupport.park: for a lock, or for work or another thread ({@link #isQueue}). */
  public static final JdkEvent THREAD_PARK =
      duration("jdk.ThreadPark", "parkedClass", ThreadState.PARK);

  /**
   * Waits for locks, if {@link #isQueue} is false. Not jdk.JavaMonitorWait: Object.wait waits for
   * what another thread does, and has the lock again only after that.
   */
  public static final List<JdkEvent> LOCKS =
      List.of(duration("jdk.JavaMonitorEnter", "monitorClass", ThreadState.MONITOR), THREAD_PARK);

  private static final Pattern QUEUES =
      Pattern.compile(
          ".*[$]ConditionObject|java[.]util[.]concurrent[.](ForkJoinPool|SynchronousQueue"
              + "|LinkedTransferQueue|Exchanger)\\b.*");

  /** All events whose amounts are known. */
  public static final List<JdkEvent> KNOWN =
      List.of(
          EXECUTION_SAMPLE,
          NATIVE_METHOD_SAMPLE,
          CPU_TIME_SAMPLE,
          WALL_CLOCK_SAMPLE,
          ALLOCATION_SAMPLE,
          TLAB_ALLOCATIONS.get(0),
          TLAB_ALLOCATIONS.get(1),
          LOCKS.get(0),
          LOCKS.get(1),
          duration("jdk.JavaMonitorWait", "monitorClass", ThreadState.OBJECT_WAIT),
          duration("jdk.ThreadSleep", "", ThreadState.SLEEP),
          bytes("profiler.LiveObject", "allocationSize", "objectClass"),
          bytes("profiler.Malloc", "size", ""));

  private static JdkEvent bytes(String name, String amount, String objectClass) {
    return new JdkEvent(name, WeightUnit.BYTES, amount, objectClass, NO_STATE);
  }

  private static JdkEvent duration(String name, String objectClass, ThreadState state) {
    return new JdkEvent(name, WeightUnit.NANOSECONDS, "duration", objectClass, state.code());
  }

  /** The event of a name; one that is counted if its amount is not known. */
  public static JdkEvent of(String name) {
    for (JdkEvent known : KNOWN) {
      if (known.name.equals(name)) {
        return known;
      }
    }
    return new JdkEvent(name, WeightUnit.EVENTS, "", "", NO_STATE);
  }

  /**
   * Whether threads that park on an object of a class have nothing to do, as pools wait for tasks
   * on conditions and queues. These are no waits for locks: they don't show what would end them.
   *
   * @param className with dots; empty for none
   */
  public static boolean isQueue(String className) {
    return QUEUES.matcher(className).matches();
  }

  /**
   * Whether a name that users choose samples by is one of those above, or of a type of JFR's
   * events: these have a dot, and the names of functions, which may have one, a colon.
   */
  static boolean isOne(String name) {
    return switch (name) {
      case EXECUTION_SAMPLES, ALLOCATIONS, LOCK_WAITS -> true;
      default -> name.indexOf('.') > 0 && name.indexOf(':') < 0;
    };
  }

  /** What the amounts of a name are counted in. */
  static WeightUnit unit(String name) {
    return switch (name) {
      case ALLOCATIONS -> WeightUnit.BYTES;
      case LOCK_WAITS -> WeightUnit.NANOSECONDS;
      default -> of(name).unit;
    };
  }
}
