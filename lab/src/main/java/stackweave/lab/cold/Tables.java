package stackweave.lab.cold;

import java.util.List;
import java.util.Locale;
import stackweave.lab.cold.ColdRun.Profilers;
import stackweave.lab.cold.Recorded.Phase;
import stackweave.lab.cold.Watch.Times;
import stackweave.testing.Markdown;

/** The figures of runs in tables. */
final class Tables {
  private Tables() {}

  static void write(Markdown page, List<ColdRun> runs) {
    page.title("CPU time");
    page.table(
        "application",
        ">JDK",
        ">Hz",
        "phase",
        ">process, CPU ms an operation, over that of nobody",
        ">samples",
        ">frames",
        ">complete",
        ">drain, µs a sample",
        ">drain, of the process",
        ">drain and compilation of the agent, of the process",
        ">lost",
        ">thinned");
    for (ColdRun run : runs) {
      if (run.plan().profilers() == Profilers.AGENT) {
        cost(page, run, "cold", whole(run, runs), run.recorded().cold, run.watch().cold());
        cost(page, run, "later", "", run.recorded().later, run.watch().later());
      }
    }
    beside(page, runs);
    rest(page, runs);
  }

  /** Of both phases: what was done in each is not known. */
  private static String whole(ColdRun run, List<ColdRun> runs) {
    double own = run.millisEach();
    return runs.stream()
        .filter(other -> other.plan().profilers() == Profilers.NONE && other.isOfSame(run))
        .map(none -> format("%.2f (%+.1f %%)", own, 100 * (own / none.millisEach() - 1)))
        .findFirst()
        .orElseGet(() -> format("%.2f", own));
  }

  private static void cost(
      Markdown page, ColdRun run, String name, String whole, Phase phase, Times times) {
    page.row(
        run.plan().app(),
        "" + run.plan().jdk().feature(),
        "" + run.plan().hz(),
        name,
        whole,
        format("%,d", phase.samples),
        format("%.0f", (double) phase.frames / phase.samples),
        format("%.2f %%", 100.0 * phase.complete / phase.samples),
        format("%.0f", times.drain() / 1e3 / phase.samples),
        format("%.2f %%", 100.0 * times.drain() / times.process()),
        format("%.2f %%", 100.0 * (times.drain() + phase.compileNanos) / times.process()),
        "" + phase.lost,
        "" + phase.thinned);
  }

  private static void beside(Markdown page, List<ColdRun> runs) {
    if (runs.stream().noneMatch(run -> run.plan().profilers() == Profilers.BOTH)) {
      return;
    }
    page.title("Beside async-profiler, in the same JVM");
    page.table(
        "application",
        ">JDK",
        ">Hz",
        "phase",
        ">drain, µs a sample",
        ">async-profiler's samples",
        ">its handler, µs a sample",
        ">its samples in which the agent is compiled");
    for (ColdRun run : runs) {
      if (run.plan().profilers() == Profilers.BOTH) {
        beside(page, run, "cold", run.recorded().cold, run.watch().cold());
        beside(page, run, "later", run.recorded().later, run.watch().later());
      }
    }
  }

  private static void beside(Markdown page, ColdRun run, String name, Phase phase, Times times) {
    page.row(
        run.plan().app(),
        "" + run.plan().jdk().feature(),
        "" + run.plan().hz(),
        name,
        format("%.0f", times.drain() / 1e3 / phase.samples),
        format("%,d", phase.asyncSamples),
        format("%.0f", phase.asyncNanos / 1e3 / phase.asyncSamples),
        format("%.2f %%", 100.0 * phase.asyncOfCompilation / phase.asyncSamples));
  }

  private static void rest(Markdown page, List<ColdRun> runs) {
    page.title("Start, memory and recording");
    page.table(
        "application",
        ">JDK",
        ">Hz",
        "sampled by",
        ">first sample after",
        ">Pss",
        ">bytes a sample",
        ">reads through the kernel a sample",
        ">system calls a sample");
    for (ColdRun run : runs) {
      if (run.plan().profilers() != Profilers.BOTH) {
        rest(page, run);
      }
    }
  }

  private static void rest(Markdown page, ColdRun run) {
    boolean sampled = run.plan().profilers() != Profilers.NONE;
    long samples = run.recorded().cold.samples + run.recorded().later.samples;
    ColdRun.Calls calls = run.calls();
    page.row(
        run.plan().app(),
        "" + run.plan().jdk().feature(),
        sampled ? "" + run.plan().hz() : "",
        switch (run.plan().profilers()) {
          case NONE -> "nobody";
          case AGENT, BOTH -> "the agent";
          case TRACED -> "the agent, traced";
        },
        sampled ? format("%.0f ms", run.recorded().startDelayNanos / 1e6) : "",
        calls == null ? format("%.0f MiB", run.watch().pssKib() / 1024.0) : "",
        sampled ? format("%.0f", (double) run.ownBytes() / samples) : "",
        calls == null ? "" : format("%.1f", (double) calls.reads() / calls.samples()),
        calls == null ? "" : format("%.1f", (double) calls.all() / calls.samples()));
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
