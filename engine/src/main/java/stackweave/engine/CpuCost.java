package stackweave.engine;

import java.util.Locale;

/** Formats the CPU time that records and probes of the kernel take from a process. Stateless. */
public final class CpuCost {
  /** Less than this share of the process's CPU time is not mentioned. */
  private static final double MUCH = 0.1;

  private CpuCost() {}

  /**
   * A line for users.
   *
   * @param what takes CPU time of the process's threads, in the plural
   * @param nanos how much, in ns: an estimate
   * @param processNanos what the process has used meanwhile, in ns
   * @return empty if it is not much
   */
  public static String note(String what, double nanos, long processNanos) {
    double share = nanos / Math.max(processNanos, 1);
    return share <= MUCH
        ? ""
        : String.format(
            Locale.ROOT,
            "%s are estimated to take %.0f %% of the process's CPU time",
            what,
            100 * Math.min(share, 1));
  }
}
