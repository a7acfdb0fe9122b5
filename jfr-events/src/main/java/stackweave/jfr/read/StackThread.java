package stackweave.jfr.read;

/**
 * A thread that was sampled.
 *
 * @param name its name; {@code tid 4711} where the recording does not say
 * @param osThreadId the id that the OS knew it, or its carrier, by; 0 where unknown
 */
public record StackThread(String name, long osThreadId) {
  /** The name of all virtual threads that have none. */
  public static final String NAMELESS_VIRTUAL = "virtual threads without a name";

  /** The name of all virtual threads of which it is not known which they were. */
  public static final String UNIDENTIFIED_VIRTUAL = "virtual threads not identified";
}
