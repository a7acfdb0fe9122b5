package stackweave.jfr.read;

/**
 * A thread that was sampled.
 *
 * @param name its name; empty where the recording does not say
 * @param osThreadId the id that the OS knew it, or its carrier, by; 0 where unknown
 * @param javaId java.lang.Thread's id; 0 for threads without one, and for virtual threads that were
 *     not identified
 * @param isVirtual whether it is a virtual thread
 * @param carrierId Java thread id of a virtual thread's carrier; 0 otherwise
 */
public record StackThread(
    String name, long osThreadId, long javaId, boolean isVirtual, long carrierId) {
  /** The text of all virtual threads that have no name. */
  public static final String NAMELESS_VIRTUAL = "virtual threads without a name";

  /** The text of all virtual threads of which it is not known which they were. */
  public static final String UNIDENTIFIED_VIRTUAL = "virtual threads not identified";

  /** Stands for threads whose definition is missing. */
  static final StackThread LOST = new StackThread("thread not in recording", 0, 0, false, 0);

  /**
   * The thread as all exports name it; {@code tid 4711} without a name. All virtual threads without
   * a name are one: they are used by the thousand, once each.
   */
  public String text() {
    if (!name.isEmpty()) {
      return name;
    }
    if (isVirtual) {
      return javaId == 0 ? UNIDENTIFIED_VIRTUAL : NAMELESS_VIRTUAL;
    }
    return "tid " + osThreadId;
  }
}
