package stackweave.jfr.control;

/**
 * What holds for recordings whose settings say nothing of it; {@link SamplingSettings} has the
 * limits. Immutable.
 *
 * @param intervalNanos CPU time between two samples of a thread, in ns
 * @param engine the engine to try first; {@code auto} leaves it open
 * @param depth most frames of a stack
 * @param wallNanos time between two looks at a waiting thread, in ns; {@link
 *     SamplingSettings#WALL_OFF} for no samples of these
 * @param blockedNanos threshold of blocked threads, in ns; {@link SamplingSettings#BLOCKED_OFF} for
 *     no events of these
 * @param event what is sampled
 * @param memory whether native memory is recorded
 */
public record SamplingDefaults(
    long intervalNanos,
    String engine,
    int depth,
    long wallNanos,
    long blockedNanos,
    SampledEvent event,
    boolean memory) {
  /** Of an agent without options. */
  public static final SamplingDefaults STANDARD =
      new SamplingDefaults(
          SamplingSettings.DEFAULT_INTERVAL_NANOS,
          SamplingSettings.DEFAULT_ENGINE,
          SamplingSettings.DEFAULT_DEPTH,
          SamplingSettings.WALL_OFF,
          SamplingSettings.BLOCKED_OFF,
          SampledEvent.CPU,
          false);
}
