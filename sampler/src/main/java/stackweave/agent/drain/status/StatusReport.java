package stackweave.agent.drain.status;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.status.Breakdown;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Coverage;
import stackweave.jfr.status.Decimals;
import stackweave.jfr.status.SamplerFigures;
import stackweave.unwind.StopReason;

/**
 * Formats figures of sampling for users, as {@code name: value} lines. Used by the agent's status
 * and the summary of the command record. Stateless.
 */
public final class StatusReport {

  private StatusReport() {}

  /** The lines, one topic each. */
  public static List<String> lines(SamplerFigures figures) {
    List<String> lines = new ArrayList<>();
    if (!figures.engine().isEmpty()) {
      lines.add(
          "engine: "
              + figures.engine()
              + (figures.engineReason().isEmpty() ? "" : " (" + figures.engineReason() + ")"));
      lines.add(
          "interval: "
              + (figures.get(Counter.EVENT_INTERVAL) > 0
                  ? figures.get(Counter.EVENT_INTERVAL) + " events, CPU time is not sampled"
                  : interval(figures) + " of CPU time"));
    }
    lines.add("samples: " + samples(figures));
    if (figures.get(Counter.WALL_INTERVAL) > 0) {
      lines.add("waiting: " + waiting(figures));
    }
    if (figures.get(Counter.BLOCKED_THRESHOLD) > 0) {
      lines.add("blocked: " + blocked(figures));
    }
    if (figures.get(Counter.MEMORY_TOUCHED) > 0) {
      lines.add("native memory: " + memory(figures));
    }
    if (figures.get(Counter.ALLOCATED) > 0) {
      lines.add("native allocations: " + allocations(figures));
    }
    boolean isEvent = figures.get(Counter.EVENT_INTERVAL) > 0;
    if (isEvent) {
      lines.add(
          "events: "
              + figures.get(Counter.EVENTS_COUNTED)
              + " counted by the kernel, "
              + figures.get(Counter.EVENTS_COVERED)
              + " covered by samples"
              + share(figures.get(Counter.EVENTS_COVERED), figures.get(Counter.EVENTS_COUNTED)));
    }
    Coverage coverage = figures.coverage();
    if (!coverage.missed().isEmpty() && !isEvent) {
      lines.add((coverage.isAtEnd() ? "end: " : "start: ") + coverage.missed());
    }
    lines.add("stacks: " + ends(figures));
    // A difference of several clocks, which may be slightly below 0 for a short time.
    long used = Math.max(0, figures.get(Counter.CPU_USED));
    lines.add(
        "CPU time: "
            + Timespans.spoken(used)
            + " used, "
            + Timespans.spoken(figures.get(Counter.CPU_COVERED))
            + " covered by samples"
            + share(figures.get(Counter.CPU_COVERED), used)
            + "; the sampling thread "
            + Timespans.spoken(figures.get(Counter.DRAIN_CPU)));
    if (figures.get(Counter.CPU_KERNEL) > 0) {
      lines.add(
          "kernel: about "
              + Decimals.fixed(figures.get(Counter.CPU_KERNEL) * 100.0 / Math.max(1, used), 0)
              + " % of the CPU time is spent in the kernel and not sampled ("
              + figures.engine()
              + ")");
    }
    for (Counter counter : Counter.values()) {
      if (counter.place() == Counter.Place.LINE && figures.get(counter) > 0) {
        lines.add(counter.inStatus(figures.get(counter)));
      }
    }
    if (figures.get(Counter.KERNEL_MEMORY) > 0) {
      lines.add(
          "kernel memory: about "
              + Decimals.fixed(figures.get(Counter.KERNEL_MEMORY) / 1048576.0, 1)
              + " MiB for events of threads");
    }
    if (!figures.note().isEmpty()) {
      lines.add("note: " + figures.note());
    }
    return lines;
  }

  /** Counts of samples taken, written and missing. */
  private static String samples(SamplerFigures figures) {
    StringJoiner text = new StringJoiner(", ");
    for (Counter counter : Counter.values()) {
      long count = figures.get(counter);
      if (counter.place() == Counter.Place.SAMPLES
          || (counter.place() == Counter.Place.MISSING && count > 0)) {
        text.add(counter.inStatus(count));
      }
    }
    return text.toString();
  }

  /** How waiting threads were sampled. */
  private static String waiting(SamplerFigures figures) {
    StringBuilder text = new StringBuilder();
    text.append(figures.get(Counter.WALL_WRITTEN))
        .append(" samples, ")
        .append(figures.get(Counter.WALL_THREADS))
        .append(" threads looked at every ")
        .append(Timespans.format(figures.get(Counter.WALL_INTERVAL)));
    add(text, figures, Counter.WALL_CAPTURED, " stacks read");
    add(text, figures, Counter.WALL_UNREAD, " not readable");
    add(text, figures, Counter.WALL_DROPPED, " not written");
    return text.append("; ")
        .append(Timespans.spoken(figures.get(Counter.WALL_CPU)))
        .append(" of CPU time")
        .toString();
  }

  /** What was seen of native memory. */
  private static String memory(SamplerFigures figures) {
    StringBuilder text = new StringBuilder();
    text.append(figures.get(Counter.MEMORY_TOUCHED) >> 20)
        .append(" MiB touched first, ")
        .append(figures.get(Counter.MEMORY_GIVEN_BACK) >> 20)
        .append(" MiB of it given back");
    add(text, figures, Counter.MEMORY_LOST, " page faults lost (no room in their buffer)");
    add(text, figures, Counter.MEMORY_UNFOLLOWED, " pages not followed");
    return text.toString();
  }

  /** What was seen of malloc and its relatives. */
  private static String allocations(SamplerFigures figures) {
    StringBuilder text = new StringBuilder();
    text.append(figures.get(Counter.ALLOCATED) >> 20)
        .append(" MiB allocated, ")
        .append(figures.get(Counter.FREED) >> 20)
        .append(" MiB of it freed");
    add(text, figures, Counter.ALLOCATIONS_LOST, " calls lost (no room in their buffer)");
    add(text, figures, Counter.ALLOCATIONS_UNFOLLOWED, " blocks not followed");
    return text.toString();
  }

  /** How blocked threads were timed. */
  private static String blocked(SamplerFigures figures) {
    StringBuilder text = new StringBuilder();
    text.append(figures.get(Counter.BLOCKED_WRITTEN))
        .append(" times ")
        .append(Timespans.format(figures.get(Counter.BLOCKED_THRESHOLD)))
        .append(" or longer");
    add(text, figures, Counter.BLOCKED_UNSEEN, " more ended before the look");
    add(text, figures, Counter.BLOCKED_DROPPED, " not written");
    add(text, figures, Counter.BLOCKED_LOST, " not followed, for records of switches were lost");
    if (figures.get(Counter.BLOCKED_PAUSED) > 0) {
      text.append(", not timed for ").append(Timespans.spoken(figures.get(Counter.BLOCKED_PAUSED)));
    }
    return text.append("; ")
        .append(Timespans.spoken(figures.get(Counter.BLOCKED_CPU)))
        .append(" of CPU time")
        .toString();
  }

  private static void add(
      StringBuilder text, SamplerFigures figures, Counter counter, String words) {
    if (figures.get(counter) > 0) {
      text.append(", ").append(figures.get(counter)).append(words);
    }
  }

  private static String interval(SamplerFigures figures) {
    String asked = Timespans.format(figures.get(Counter.INTERVAL));
    long reached = figures.get(Counter.INTERVAL_REACHED);
    return reached > 0 ? "asked " + asked + ", about " + Timespans.format(reached) : asked;
  }

  private static String ends(SamplerFigures figures) {
    Map<String, Long> counts = figures.get(Breakdown.ENDS);
    long all = 0;
    long complete = 0;
    StringBuilder others = new StringBuilder();
    for (StopReason reason : StopReason.values()) {
      long count = counts.getOrDefault(reason.label(), 0L);
      all += count;
      if (reason.isComplete() && !reason.hasGuesses()) {
        complete += count;
      } else if (count > 0) {
        others.append(", ").append(count).append(' ').append(reason.label());
      }
    }
    return complete + " complete" + share(complete, all) + others;
  }

  /** A share of the samples in a recording, rounded to all only if it is all: as in the exports. */
  private static String share(long part, long whole) {
    if (whole == 0) {
      return "";
    }
    return part == whole
        ? " (100 %)"
        : " (" + Decimals.fixed(Math.floor(10_000.0 * part / whole) / 100, 2) + " %)";
  }
}
