package stackweave.jfr.weave;

/**
 * How recordings are merged. Immutable.
 *
 * @param only whether all events but the woven ones are left out
 * @param keepsJdkSamples whether JFR's own samples stay beside the woven ones
 * @param isStateDefault whether woven samples have the state STATE_DEFAULT, which jfr-converter
 *     takes for CPU time, in place of STATE_RUNNABLE
 * @param byWeight whether a sample becomes more events the more time it stands for
 */
public record MergeOptions(
    boolean only, boolean keepsJdkSamples, boolean isStateDefault, boolean byWeight) {
  /** One event for each sample, beside all other events but JFR's own samples. */
  public static final MergeOptions DEFAULT = new MergeOptions(false, false, false, false);
}
