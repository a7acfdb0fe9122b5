package stackweave.lab.overhead;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import stackweave.lab.overhead.Statistics.Estimate;
import stackweave.testing.Markdown;

/** The figures in tables, which it adds to a page. */
final class Tables {
  private final Markdown page;

  Tables(Markdown page) {
    this.page = page;
  }

  /** The throughput that sampling costs the application, at one rate on one JDK. */
  void lost(Comparison windows) {
    page.table(
        "windows",
        ">number",
        ">lost, of the process's CPU",
        ">lost, of the workers' CPU",
        ">samples per CPU second of the workers",
        ">complete",
        ">frames");
    for (WindowKind kind : WindowKind.values()) {
      if (!windows.of(kind).isEmpty()) {
        lost(windows, kind);
      }
    }
  }

  private void lost(Comparison windows, WindowKind kind) {
    Recorded recorded = windows.recorded(kind);
    boolean sampled = recorded.samples() > 0;
    page.row(
        kind.title(),
        Integer.toString(windows.of(kind).size()),
        percent(windows.lost(kind, Window::processCost)),
        percent(windows.lost(kind, Window::workerCost)),
        sampled ? format("%.1f", recorded.samples() / windows.cpuSeconds(kind)) : "",
        sampled ? format("%.2f %%", 100.0 * recorded.complete() / recorded.samples()) : "",
        sampled ? format("%.0f", (double) recorded.frames() / recorded.samples()) : "");
  }

  /** The conclusions from the table above. */
  void verdicts(Comparison windows) {
    for (WindowKind other : List.of(WindowKind.ASYNC, WindowKind.ASYNC_VMX)) {
      if (!windows.of(other).isEmpty() && !windows.of(WindowKind.STACKWEAVE).isEmpty()) {
        page.line(
            "Stackweave minus %s, of the process's CPU: %s; of the workers': %s."
                .formatted(
                    other.title(),
                    percent(windows.lostMore(WindowKind.STACKWEAVE, other, Window::processCost)),
                    percent(windows.lostMore(WindowKind.STACKWEAVE, other, Window::workerCost))));
      }
    }
    if (!windows.of(WindowKind.STACKWEAVE).isEmpty()) {
      page.line(
          "The agent's own thread: %s of a CPU, %s of the CPU time of the process."
                  .formatted(
                      share(windows.drainShare(WindowKind.STACKWEAVE)),
                      share(windows.drainPerCpu(WindowKind.STACKWEAVE)))
              + " Other threads than it and the workers: %s; while dormant %s."
                  .formatted(
                      share(windows.othersPerCpu(WindowKind.STACKWEAVE)),
                      share(windows.othersPerCpu(WindowKind.DORMANT))));
    }
    if (!windows.of(WindowKind.ABSENT).isEmpty()) {
      Estimate cost = windows.dormantCost();
      page.line(
          "Dormant against no agent, throughput lost of the process's CPU: %s, %s."
              .formatted(
                  percent(cost),
                  cost.includesZero() ? "which is not measurable" : "which is not nothing"));
    }
  }

  void starts(Map<String, StartCost> starts) {
    page.table("", ">JVM without agent", ">an empty agent adds", ">a dormant one adds to that");
    starts.forEach(
        (jdk, cost) ->
            page.row(jdk, millis(cost.none()), millis(cost.empty()), millis(cost.dormant())));
  }

  void footprints(Map<String, List<Footprint>> footprints) {
    page.table(
        "",
        "",
        ">resident",
        ">Pss",
        ">heap alive",
        ">CPU of other threads",
        ">samples",
        ">file",
        ">bytes per sample");
    footprints.forEach((jdk, ofJdk) -> ofJdk.forEach(footprint -> footprint(jdk, footprint)));
  }

  private void footprint(String jdk, Footprint footprint) {
    Recorded recorded = footprint.recorded();
    boolean sampled = recorded.samples() > 0;
    page.row(
        jdk,
        footprint.kind().title(),
        mebibytes(footprint.rssKib()),
        mebibytes(footprint.pssKib()),
        mebibytes(footprint.heapKib()),
        format("%.2f s", footprint.othersNanos() / 1e9),
        sampled ? format("%,d", recorded.samples()) : "",
        sampled ? mebibytes(recorded.bytes() / 1024) : "",
        sampled ? format("%.0f", (double) recorded.bytes() / recorded.samples()) : "");
  }

  private static String percent(Estimate estimate) {
    return format(
        "%.2f %% (%.2f to %.2f)",
        100 * estimate.median(), 100 * estimate.low(), 100 * estimate.high());
  }

  private static String share(double share) {
    return format("%.2f %%", 100 * share);
  }

  private static String millis(Estimate estimate) {
    return format(
        "%.1f ms (%.1f to %.1f)",
        estimate.median() / 1e6, estimate.low() / 1e6, estimate.high() / 1e6);
  }

  private static String mebibytes(long kibibytes) {
    return format("%.1f MiB", kibibytes / 1024.0);
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
