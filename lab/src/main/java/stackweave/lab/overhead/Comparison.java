package stackweave.lab.overhead;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import stackweave.lab.overhead.Statistics.Estimate;

/**
 * The windows of one JVM, compared with each other.
 *
 * @param windows in the order of time
 * @param recorded of those that have a recording with samples, by their number
 */
record Comparison(List<Window> windows, Map<Integer, Recorded> recorded) {

  /**
   * Throughput per CPU second that is lost in windows of a kind, compared with the mean of the
   * nearest dormant windows before and after: a share, negative for a gain.
   *
   * @param cost CPU time of an operation
   */
  Estimate lost(WindowKind kind, ToDoubleFunction<Window> cost) {
    return Statistics.estimate(losses(kind, cost));
  }

  /**
   * How much more is lost in windows of one kind than in those of another, compared within each
   * block.
   */
  Estimate lostMore(WindowKind kind, WindowKind other, ToDoubleFunction<Window> cost) {
    double[] of = losses(kind, cost);
    double[] than = losses(other, cost);
    double[] more = new double[Math.min(of.length, than.length)];
    for (int i = 0; i < more.length; i++) {
      more[i] = of[i] - than[i];
    }
    return Statistics.estimate(more);
  }

  /** Throughput lost in dormant windows compared with those without the agent. */
  Estimate dormantCost() {
    double[] won = losses(WindowKind.ABSENT, Window::processCost);
    return Statistics.estimate(Arrays.stream(won).map(loss -> -loss).toArray());
  }

  private double[] losses(WindowKind kind, ToDoubleFunction<Window> cost) {
    List<Double> losses = new ArrayList<>();
    for (int i = 0; i < windows.size(); i++) {
      if (windows.get(i).kind() == kind) {
        Window before = dormant(i, -1);
        Window behind = dormant(i, 1);
        if (before != null && behind != null) {
          double dormant = (cost.applyAsDouble(before) + cost.applyAsDouble(behind)) / 2;
          losses.add(1 - dormant / cost.applyAsDouble(windows.get(i)));
        }
      }
    }
    return losses.stream().mapToDouble(Double::doubleValue).toArray();
  }

  private Window dormant(int from, int step) {
    for (int i = from + step; i >= 0 && i < windows.size(); i += step) {
      if (windows.get(i).kind() == WindowKind.DORMANT) {
        return windows.get(i);
      }
    }
    return null;
  }

  List<Window> of(WindowKind kind) {
    return windows.stream().filter(window -> window.kind() == kind).toList();
  }

  /** What was recorded in all windows of a kind. */
  Recorded recorded(WindowKind kind) {
    return of(kind).stream()
        .map(window -> recorded.getOrDefault(window.number(), Recorded.NOTHING))
        .reduce(Recorded.NOTHING, Recorded::plus);
  }

  /** CPU seconds of the workers in all windows of a kind. */
  double cpuSeconds(WindowKind kind) {
    return of(kind).stream().mapToLong(Window::workerNanos).sum() / 1e9;
  }

  /** CPU time of the agent's thread, as a share of wall-clock time: median of the windows. */
  double drainShare(WindowKind kind) {
    return Statistics.median(
        of(kind).stream()
            .mapToDouble(window -> window.drainNanos() / 1e9 / window.seconds())
            .toArray());
  }

  /** The same for each CPU second of the process. */
  double drainPerCpu(WindowKind kind) {
    return Statistics.median(
        of(kind).stream()
            .mapToDouble(window -> (double) window.drainNanos() / window.processNanos())
            .toArray());
  }

  /** CPU time of all threads but the workers and the agent's own, likewise. */
  double othersPerCpu(WindowKind kind) {
    return Statistics.median(
        of(kind).stream()
            .mapToDouble(
                window ->
                    (double) (window.processNanos() - window.workerNanos() - window.drainNanos())
                        / window.processNanos())
            .toArray());
  }
}
