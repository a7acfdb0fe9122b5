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

  /** The text of all virtual threads that could not be identified. */
  public static final String UNIDENTIFIED_VIRTUAL = "virtual threads not identified";

  /** Placeholder for threads without definition. */
  static final StackThread LOST = new StackThread("thread not in recording", 0, 0, false, 0);

  /**
   * Equal for all samples of a thread: without its name, which may change, and without a virtual
   * thread's carrier. Unchanged if nothing else is known of the thread.
   */
  public StackThread identity() {
    if (javaId == 0 && osThreadId == 0) {
      return this;
    }
    return isVirtual && javaId != 0
        ? new StackThread("", 0, javaId, true, 0)
        : new StackThread("", osThreadId, javaId, isVirtual, carrierId);
  }

  /**
   * The thread's text in all exports; {@code tid 4711} without a name. All virtual threads without
   * a name share one text, since there may be thousands.
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
