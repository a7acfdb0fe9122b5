package stackweave.jfr.export.report;

import java.io.IOException;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import stackweave.jfr.export.Names;
import stackweave.jfr.export.ShortNames;
import stackweave.jfr.export.Texts;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

/**
 * The sections of a report on timed native calls: by method, and the slowest calls with the samples
 * taken during them. Empty for a recording without such events.
 */
final class CallReport {
  private static final int MAX_METHODS = 40;
  private static final int MAX_CALLS = 10;
  private static final int MAX_PLACES = 3;
  private static final int MAX_THREAD = 28;
  private static final long MICRO = 1_000;
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000_000_000;

  private CallReport() {}

  /**
   * The sections.
   *
   * @param samples the recording, opened with its waiting threads if there are any; null if it has
   *     no samples
   */
  static List<ReportSection> sections(Path file, SampledRecording samples)
      throws IOException, RecordingException {
    RecordedCalls calls = RecordedCalls.read(file, MAX_CALLS);
    List<CallSum> sums = calls.sums();
    if (sums.isEmpty()) {
      return List.of();
    }
    Set<String> overloaded = overloaded(sums);
    long slow = sums.stream().mapToLong(CallSum::slowCalls).sum();
    List<ReportSection> sections = new ArrayList<>(List.of(methods(sums, overloaded)));
    if (slow > 0) {
      boolean hasWaiting = samples != null && samples.choice().isWall();
      String hint = hasWaiting ? "" : "; wall=20ms takes samples of threads that wait, too";
      if (samples != null) {
        samples.forEachSample(calls::add);
      }
      sections.add(slowest(calls.longest(), overloaded, hint, slow));
    }
    return sections;
  }

  private static ReportSection methods(List<CallSum> sums, Set<String> overloaded) {
    ReportSection section = new ReportSection("Native calls by method");
    section.say(
        "%,d calls of the %,d timed native methods that were called took %s of wall-clock time,"
            + " waiting included. 99 of 100 calls are below the bound 99 %%; SLOW have an event.",
        sums.stream().mapToLong(CallSum::calls).sum(),
        sums.size(),
        Texts.seconds(sums.stream().mapToLong(CallSum::nanos).sum()));
    long uncounted = sums.stream().mapToLong(CallSum::uncounted).sum();
    if (uncounted > 0) {
      section.say(
          "%,d slow calls have an event but are in no count, as at a recording's end: the shorter"
              + " calls of that time are not known.",
          uncounted);
    }
    section.head("CALLS", "TIME", "MEAN", "99 %", "SLOW", "METHOD");
    for (CallSum sum : Sums.first(sums, MAX_METHODS)) {
      long below = sum.mostlyBelow();
      section.row(
          Texts.count(sum.calls()),
          Texts.seconds(sum.nanos()),
          sum.calls() == 0 ? "" : time(sum.nanos() / sum.calls()),
          below == 0 ? "slow" : below == Long.MAX_VALUE ? "" : time(below),
          Texts.count(sum.slowCalls()),
          name(sum.method, sum.descriptor, overloaded));
    }
    if (sums.size() > MAX_METHODS) {
      section.say("%,d more methods are not listed.", sums.size() - MAX_METHODS);
    }
    return section;
  }

  /** Names that several methods have. */
  private static Set<String> overloaded(List<CallSum> sums) {
    Set<String> names = new HashSet<>();
    return sums.stream()
        .map(sum -> sum.method)
        .filter(name -> !names.add(name))
        .collect(Collectors.toSet());
  }

  /** Methods of one name have their parameters behind it. */
  private static String name(String method, String descriptor, Set<String> overloaded) {
    return Names.printable(overloaded.contains(method) ? method + parameters(descriptor) : method);
  }

  /** The parameters as in (int, String[]); the descriptor itself if it is invalid. */
  private static String parameters(String descriptor) {
    try {
      return MethodTypeDesc.ofDescriptor(descriptor).parameterList().stream()
          .map(ClassDesc::displayName)
          .collect(Collectors.joining(", ", "(", ")"));
    } catch (IllegalArgumentException e) {
      return descriptor;
    }
  }

  private static ReportSection slowest(
      List<RecordedCalls.Call> calls, Set<String> overloaded, String hint, long slow) {
    ReportSection section = new ReportSection("Slowest native calls");
    section.say(
        "%,d calls were slow: they took the threshold or longer. Under each are its caller, and the"
            + " innermost functions of the samples that its thread got meanwhile.",
        slow);
    section.head("LASTED", "METHOD, THREAD, CALLER AND SAMPLES");
    for (RecordedCalls.Call call : calls) {
      section.row(time(call.nanos()), name(call.method(), call.descriptor(), overloaded));
      indented(
          section,
          ShortNames.cut(call.thread(), MAX_THREAD)
              + ", at "
              + call.start().truncatedTo(ChronoUnit.MILLIS));
      for (String caller : call.callers()) {
        indented(section, "by " + caller);
      }
      if (call.samples() == 0) {
        indented(section, "no sample inside" + hint);
      }
      for (Sums.Sum place : call.places().largest(MAX_PLACES)) {
        indented(
            section, Texts.of("%,d of %,d samples: %s", place.count, call.samples(), place.name));
      }
    }
    return section;
  }

  private static void indented(ReportSection section, String text) {
    section.row("", ReportSection.INDENT + text);
  }

  /** Three digits and a unit. */
  private static String time(long nanos) {
    if (nanos < MICRO) {
      return nanos + " ns";
    }
    if (nanos < MILLI) {
      return digits(nanos / (double) MICRO) + " us";
    }
    return nanos < SECOND ? digits(nanos / (double) MILLI) + " ms" : Texts.seconds(nanos);
  }

  private static String digits(double number) {
    return Texts.of(number < 10 ? "%.2f" : number < 100 ? "%.1f" : "%.0f", number);
  }
}
