package stackweave.jfr.export.report;

import java.io.IOException;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import stackweave.jfr.export.Names;
import stackweave.jfr.export.ShortNames;
import stackweave.jfr.export.Times;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

/**
 * The sections of a report on timed native calls: by method, and the slowest with what the samples
 * inside say. Empty for a recording without such events.
 */
final class CallReport {
  private static final int MAX_METHODS = 40;
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
   * @param rows how many slow calls are listed
   */
  static List<Section> sections(Path file, SampledRecording samples, int rows)
      throws IOException, RecordingException {
    CallSums sums = CallSums.read(file);
    if (sums.isEmpty()) {
      return List.of();
    }
    long slow = 0;
    for (CallSums.Sum sum : sums.sorted()) {
      slow += sum.slowCalls();
    }
    List<Section> sections = new ArrayList<>(List.of(methods(sums)));
    if (slow > 0) {
      boolean hasWaiting = samples != null && samples.choice().isWall();
      String hint = hasWaiting ? "" : "; wall=20ms takes samples of threads that wait, too";
      SlowCalls calls = SlowCalls.read(file, samples);
      sections.add(slowest(calls, overloaded(sums.sorted()), hint, slow, rows));
    }
    return sections;
  }

  private static Section methods(CallSums sums) {
    Section section = new Section("Native calls by method");
    List<CallSums.Sum> sorted = sums.sorted();
    long calls = 0;
    long nanos = 0;
    long uncounted = 0;
    for (CallSums.Sum sum : sorted) {
      uncounted += sum.uncounted();
      calls += sum.calls();
      nanos += sum.nanos();
    }
    section.sentences.add(
        String.format(
            Locale.ROOT,
            "%,d calls of the %,d timed native methods that were called took %s of wall-clock time, waiting"
                + " included. 99 of 100 calls are below the bound 99 %%; SLOW have an event.",
            calls,
            sorted.size(),
            Times.seconds(nanos)));
    if (uncounted > 0) {
      section.sentences.add(
          String.format(
              Locale.ROOT,
              "%,d slow calls have an event but are in no count, as at a recording's end:"
                  + " the shorter calls of that time are not known.",
              uncounted));
    }
    Set<String> overloaded = overloaded(sorted);
    section.head = List.of("CALLS", "TIME", "MEAN", "99 %", "SLOW", "METHOD");
    for (CallSums.Sum sum : sorted.subList(0, Math.min(MAX_METHODS, sorted.size()))) {
      long below = sum.mostlyBelow();
      section.rows.add(
          List.of(
              String.format(Locale.ROOT, "%,d", sum.calls()),
              Times.seconds(sum.nanos()),
              sum.calls() == 0 ? "" : time(sum.nanos() / sum.calls()),
              below == 0 ? "slow" : below == Long.MAX_VALUE ? "" : time(below),
              String.format(Locale.ROOT, "%,d", sum.slowCalls()),
              name(sum.method(), sum.descriptor(), overloaded)));
    }
    if (sorted.size() > MAX_METHODS) {
      section.sentences.add(
          String.format(
              Locale.ROOT, "%,d more methods are not listed.", sorted.size() - MAX_METHODS));
    }
    return section;
  }

  /** Names that several methods have. */
  private static Set<String> overloaded(List<CallSums.Sum> sums) {
    Set<String> names = new HashSet<>();
    Set<String> overloaded = new HashSet<>();
    for (CallSums.Sum sum : sums) {
      if (!names.add(sum.method())) {
        overloaded.add(sum.method());
      }
    }
    return overloaded;
  }

  /** Methods of one name have their parameters behind it. */
  private static String name(String method, String descriptor, Set<String> overloaded) {
    return Names.printable(overloaded.contains(method) ? method + parameters(descriptor) : method);
  }

  /** As (int, String[]); the descriptor itself if it is none. */
  private static String parameters(String descriptor) {
    try {
      return MethodTypeDesc.ofDescriptor(descriptor).parameterList().stream()
          .map(ClassDesc::displayName)
          .collect(Collectors.joining(", ", "(", ")"));
    } catch (IllegalArgumentException e) {
      return descriptor;
    }
  }

  private static Section slowest(
      SlowCalls calls, Set<String> overloaded, String hint, long slow, int rows) {
    Section section = new Section("Slowest native calls");
    if (calls == null) {
      section.sentences.add(
          String.format(
              Locale.ROOT,
              "%,d calls were slow. They can't be listed, for the recording was cut short.",
              slow));
      return section;
    }
    section.sentences.add(
        String.format(
            Locale.ROOT,
            "%,d calls were slow: they took the threshold or longer. Under each are its caller, and"
                + " the innermost functions of the samples that its thread got meanwhile.",
            slow));
    section.head = List.of("LASTED", "METHOD, THREAD, CALLER AND SAMPLES");
    List<SlowCalls.Call> sorted = calls.sorted();
    for (SlowCalls.Call call : sorted.subList(0, Math.min(rows, sorted.size()))) {
      section.rows.add(
          List.of(time(call.nanos()), name(call.method(), call.descriptor(), overloaded)));
      section.rows.add(
          indented(
              ShortNames.cut(call.thread(), MAX_THREAD)
                  + ", at "
                  + call.start().truncatedTo(ChronoUnit.MILLIS)));
      for (String caller : call.callers()) {
        section.rows.add(indented("by " + caller));
      }
      if (call.samples() == 0) {
        section.rows.add(indented("no sample inside" + hint));
      }
      int listed = 0;
      for (Map.Entry<String, Long> place : call.places()) {
        if (listed++ < MAX_PLACES) {
          section.rows.add(
              indented(
                  String.format(
                      Locale.ROOT,
                      "%,d of %,d samples: %s",
                      place.getValue(),
                      call.samples(),
                      place.getKey())));
        }
      }
    }
    return section;
  }

  private static List<String> indented(String text) {
    return List.of("", Section.INDENT + text);
  }

  /** Three digits and a unit. */
  private static String time(long nanos) {
    if (nanos < MICRO) {
      return nanos + " ns";
    }
    if (nanos < MILLI) {
      return digits(nanos / (double) MICRO) + " us";
    }
    return nanos < SECOND ? digits(nanos / (double) MILLI) + " ms" : Times.seconds(nanos);
  }

  private static String digits(double number) {
    return String.format(
        Locale.ROOT, number < 10 ? "%.2f" : number < 100 ? "%.1f" : "%.0f", number);
  }
}
