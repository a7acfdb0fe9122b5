package stackweave.agent.drain.status;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.read.Coverage;
import stackweave.jfr.store.SamplerStatusValues;
import stackweave.unwind.StopReason;

/** How sampling went since the agent began, for people: {@code name: value} lines. */
public final class StatusReport {

  private StatusReport() {}

  public static List<String> lines(SamplerStatusValues values) {
    List<String> lines = new ArrayList<>();
    if (!values.engine().isEmpty()) {
      lines.add(
          "engine: "
              + values.engine()
              + (values.engineReason().isEmpty() ? "" : " (" + values.engineReason() + ")"));
      lines.add("interval: " + interval(values) + " of CPU time");
    }
    lines.add("samples: " + samples(values));
    String start =
        new Coverage(
                values.cpuUsedNanos(),
                values.cpuCoveredNanos(),
                values.cpuMissedNanos(),
                values.gauges().startDelayNanos())
            .start();
    if (!start.isEmpty()) {
      lines.add("start: " + start);
    }
    lines.add("stacks: " + ends(values));
    lines.add(
        "CPU time: "
            + Timespans.spoken(values.cpuUsedNanos())
            + " used, "
            + Timespans.spoken(values.cpuCoveredNanos())
            + " covered by samples"
            + share(values.cpuCoveredNanos(), values.cpuUsedNanos())
            + "; the agent's drain thread "
            + Timespans.spoken(values.drainCpuNanos()));
    if (values.cpuKernelNanos() > 0) {
      lines.add(
          "kernel: about "
              + fixed(values.cpuKernelNanos() * 100.0 / Math.max(1, values.cpuUsedNanos()), 0)
              + " % of the CPU time is spent in the kernel and not sampled ("
              + values.engine()
              + ")");
    }
    if (values.foreign() > 0) {
      lines.add("foreign: " + values.foreign() + " samples of child processes, discarded");
    }
    if (values.gauges().kernelBudgetBytes() > 0) {
      lines.add(
          "kernel memory: about "
              + fixed(values.gauges().kernelBytes() / 1048576.0, 1)
              + " MiB for events of threads, "
              + (values.gauges().kernelBudgetBytes() >> 20)
              + " MiB allowed");
    }
    if (!values.note().isEmpty()) {
      lines.add("note: " + values.note());
    }
    return lines;
  }

  /** What is not 0, with what that means. */
  private static String samples(SamplerStatusValues values) {
    StringBuilder text = new StringBuilder();
    text.append(values.taken()).append(" taken, ").append(values.written()).append(" written");
    add(text, values.lost(), "lost (no room in the buffer that they wait in)");
    add(text, values.dropped(), "dropped (JFR was changing its file, or a limit was reached)");
    add(text, values.undecodable(), "undecodable (not understood)");
    add(text, values.thinned(), "thinned out (to stay within drain=; others stand for them)");
    return text.toString();
  }

  private static void add(StringBuilder text, long count, String what) {
    if (count > 0) {
      text.append(", ").append(count).append(' ').append(what);
    }
  }

  private static String interval(SamplerStatusValues values) {
    String asked = Timespans.format(values.intervalNanos());
    long reached = values.gauges().reachedIntervalNanos();
    return reached > values.intervalNanos()
        ? "asked " + asked + ", about " + Timespans.format(reached)
        : asked;
  }

  private static String ends(SamplerStatusValues values) {
    long complete = 0;
    StringBuilder others = new StringBuilder();
    for (StopReason reason : StopReason.values()) {
      long count = values.endCounts()[reason.code()];
      if (reason.isComplete()) {
        complete += count;
      } else if (count > 0) {
        others.append(", ").append(count).append(' ').append(reason.label());
      }
    }
    long all = values.written() + values.lost() + values.dropped() + values.undecodable();
    return complete + " complete" + share(complete, all) + others;
  }

  private static String share(long part, long whole) {
    return whole == 0 ? "" : " (" + fixed(100.0 * part / whole, 2) + " %)";
  }

  /** As %.nf; made every second, and a Formatter takes the time of a dozen samples. */
  private static String fixed(double value, int digits) {
    return BigDecimal.valueOf(value).setScale(digits, RoundingMode.HALF_UP).toPlainString();
  }
}
