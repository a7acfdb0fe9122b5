package stackweave.jfr.read;

/**
 * A thread that was sampled.
 *
 * @param name its name; {@code tid 4711} where the recording does not say
 * @param osThreadId the id that the OS knew it by, 0 where unknown
 */
public record StackThread(String name, long osThreadId) {}
