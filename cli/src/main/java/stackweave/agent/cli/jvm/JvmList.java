package stackweave.agent.cli.jvm;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.Waiting;
import stackweave.agent.cli.process.JvmSearch;
import stackweave.agent.cli.process.JvmSearch.Jvm;
import stackweave.agent.cli.process.NamedJvm;
import stackweave.agent.cli.process.TargetProcess;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.OwnDirectory;

/**
 * What the program says without a command: the JVMs of the machine that the caller may look at, and
 * what to type. Stateless.
 */
public final class JvmList {
  /** How long their CPU time is measured: the kernel counts it in steps of 10 ms. */
  private static final long MEASURED_MILLIS = 500;

  private static final String ROW = "%7s  %-8s  %12s  %6s  %s%n";

  private JvmList() {}

  /**
   * A JVM at a moment.
   *
   * @param cpuNanos the CPU time that it has used; {@link SampledProcess#UNKNOWN} if it has ended
   * @param atNanos when that was, by {@link System#nanoTime}
   */
  private record Used(Jvm jvm, SampledProcess process, long cpuNanos, long atNanos) {
    static Used of(Jvm jvm, SampledProcess process) {
      return new Used(jvm, process, process.cpuNanos(), System.nanoTime());
    }

    /** The share of a CPU that it has used since, in percent; negative if it has ended. */
    long percent() {
      Used now = of(jvm, process);
      return cpuNanos < 0 || now.cpuNanos < 0
          ? -1
          : Math.round(100.0 * (now.cpuNanos - cpuNanos) / (now.atNanos - atNanos));
    }
  }

  /** A row of the list; {@code percent} is the share of a CPU. */
  private record Row(Jvm jvm, long upNanos, long percent) {}

  /**
   * Prints the list on standard output; takes half a second.
   *
   * @throws FailedException if processes can't be listed, or the list can't be written
   */
  public static void print() throws FailedException {
    List<Used> before = new ArrayList<>();
    for (Jvm jvm : JvmSearch.all()) {
      before.add(Used.of(jvm, SampledProcess.other(jvm.pid())));
    }
    if (!before.isEmpty()) {
      Waiting.pause(MEASURED_MILLIS);
    }
    List<Row> rows = new ArrayList<>();
    for (Used each : before) {
      long upMillis = System.currentTimeMillis() - each.process().startMillis();
      long percent = each.percent();
      if (percent >= 0) {
        rows.add(new Row(each.jvm(), Math.max(0, upMillis) * 1_000_000, percent));
      }
    }
    rows.sort(Comparator.comparingLong(Row::percent).reversed().thenComparing(r -> r.jvm().pid()));
    Output.toStandardOutput(out -> write(rows, out));
  }

  private static void write(List<Row> rows, Appendable out) throws IOException {
    boolean isRoot = OwnDirectory.effectiveUid() == TargetProcess.ROOT;
    if (rows.isEmpty()) {
      out.append(
          isRoot
              ? "No JVM runs here.\n"
              : "No JVM of yours runs here; root sees those of other users.\n");
    } else {
      line(out, ROW, "PID", "USER", "UPTIME", "CPU", "MAIN CLASS OR JAR");
    }
    for (Row row : rows) {
      line(
          out,
          ROW,
          row.jvm().pid(),
          NamedJvm.user(row.jvm()),
          Timespans.spoken(row.upNanos()),
          row.percent() + " %",
          NamedJvm.shown(row.jvm()));
    }
    if (!rows.isEmpty()) {
      line(out, "%nA flame graph of 30 seconds of one of them, by PID or a part of its name:%n");
      command(out, "record", rows.get(0).jvm().pid(), "-d", "30s", "-o", "flame.html");
    }
    line(out, "%nA flame graph of a program from its start to its end:%n");
    command(out, "record", "-o", "flame.html", "--", "java", "-jar", "app.jar");
    line(out, "%nAll commands:%n");
    command(out, "--help");
  }

  private static void command(Appendable out, Object... words) throws IOException {
    line(out, "  %s%n", OwnCommand.line(words));
  }

  private static void line(Appendable out, String format, Object... values) throws IOException {
    out.append(String.format(Locale.ROOT, format, values));
  }
}
