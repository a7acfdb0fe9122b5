package stackweave.jfr.export.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import stackweave.jfr.chunk.EventConstants.Frame;
import stackweave.jfr.export.Texts;
import stackweave.jfr.export.report.RecordedLoads.Load;

/** Describes in words what loaded the libraries of a recording. Immutable. */
final class LoadSections {
  /** Frames of a loader's stack that are shown. */
  private static final int MAX_FRAMES = 12;

  private static final int DEFAULT_ROWS = 20;

  private final List<Load> loads;

  /**
   * @param loads the longest first
   */
  LoadSections(List<Load> loads) {
    this.loads = loads;
  }

  /**
   * The table of all loads.
   *
   * @param rows most that are shown; 0 for the default
   */
  ReportSection table(int rows) {
    ReportSection section = new ReportSection("Loads");
    if (loads.isEmpty()) {
      section.say(
          "No load of a library was seen: none was loaded since sampling began (the agent's option"
              + " hooks=early sees them from the start), the JDK was not instrumented (hooks=on does it"
              + " also after attach), or another agent has transformed NativeLibraries of the JDK"
              + " since, which undoes it.");
      return section;
    }
    section.say(
        "Libraries that Java code loaded: how long dlopen with constructors and JNI_OnLoad took,"
            + " when it began after the JVM's start, and who called.");
    section.head("TOOK", "AT", "LIBRARY AND CALLER");
    int shown = Math.min(rows == 0 ? DEFAULT_ROWS : rows, loads.size());
    for (Load load : loads.subList(0, shown)) {
      section.row(
          duration(load.nanos()),
          since(load),
          load.name()
              + (load.raw().isLoaded() ? "" : " FAILED")
              + (load.caller().isEmpty() ? "" : ", by " + load.caller()));
    }
    addFailures(section, rows == 0 ? DEFAULT_ROWS : rows);
    if (shown < loads.size()) {
      section.say("%,d more loads are left out.", loads.size() - shown);
    }
    return section;
  }

  /** Adds each failure once: an application may try again and again. */
  private void addFailures(ReportSection section, int most) {
    Map<String, Long> times =
        loads.stream()
            .filter(load -> !load.raw().isLoaded())
            .collect(
                Collectors.groupingBy(
                    LoadSections::failure, LinkedHashMap::new, Collectors.counting()));
    times.entrySet().stream()
        .limit(most)
        .forEach(
            each ->
                section.say(
                    "Failed"
                        + (each.getValue() == 1 ? "" : " " + each.getValue() + " times")
                        + ": "
                        + each.getKey()));
    if (times.size() > most) {
      section.say("%,d other failures are left out.", times.size() - most);
    }
  }

  /** The JDK's message has dlopen's behind the path, and dlopen's begins with the path. */
  private static String failure(Load load) {
    String error = load.raw().error();
    while (error.startsWith(load.raw().path() + ": ")) {
      error = error.substring(load.raw().path().length() + 2);
    }
    return load.raw().path() + (error.isEmpty() ? "" : ": " + error);
  }

  /**
   * Sentences on what loaded a library.
   *
   * @param starts start addresses of its copies, by path
   */
  List<String> sentences(Map<String, List<Long>> starts) {
    List<Load> own =
        loads.stream()
            .filter(load -> load.raw().isLoaded() && starts.containsKey(load.file()))
            .filter(
                load ->
                    load.mapped() == null
                        || starts.get(load.file()).contains(load.mapped().start()))
            .toList();
    if (own.isEmpty()) {
      return List.of();
    }
    Load first = own.get(0); // the longest: later ones of the same file find it loaded already
    List<String> sentences = new ArrayList<>();
    sentences.add(
        "Loaded: in "
            + duration(first.nanos())
            + (first.raw().isForeign() ? " by java.lang.foreign" : "")
            + (first.sinceStartNanos() < 0 ? "" : ", " + since(first) + " after the JVM's start")
            + (first.thread().isEmpty() ? "" : ", on thread " + first.thread())
            + (own.size() == 1 ? "" : Texts.of("; %,d more loads of it", own.size() - 1)));
    if (!first.stack().isEmpty()) {
      sentences.add("Loaded by: " + stack(first.stack()));
    }
    return sentences;
  }

  private static String stack(List<Frame> frames) {
    StringBuilder text = new StringBuilder();
    int shown = Math.min(MAX_FRAMES, frames.size());
    for (Frame frame : frames.subList(0, shown)) {
      text.append(text.isEmpty() ? "" : " < ").append(RecordedLoads.text(frame));
    }
    return shown == frames.size()
        ? text.toString()
        : text.append(Texts.of(" < %,d more", frames.size() - shown)).toString();
  }

  private static String since(Load load) {
    return load.sinceStartNanos() < 0 ? "-" : Texts.of("%.1f s", load.sinceStartNanos() / 1e9);
  }

  private static String duration(long nanos) {
    return Texts.of(nanos < 10_000_000 ? "%.1f ms" : "%,.0f ms", nanos / 1e6);
  }
}
