package stackweave.agent.cli.output;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import stackweave.agent.cli.common.Output;
import stackweave.jfr.export.CollapsedExport;
import stackweave.jfr.export.Export;
import stackweave.jfr.export.FirefoxExport;
import stackweave.jfr.export.FrameNames;
import stackweave.jfr.export.PprofExport;
import stackweave.jfr.export.Selection;
import stackweave.jfr.export.SpeedscopeExport;
import stackweave.jfr.export.flamegraph.FlameGraphExport;
import stackweave.jfr.read.SampledRecording;

/** What a file has, by the ending of its name. */
public enum OutputFormat {
  RECORDING("a recording", ".jfr"),
  PAGE("a flame graph", ".html"),
  PPROF("pprof", ".pb.gz"),
  COLLAPSED("collapsed stacks", ".txt", ".collapsed", ".folded"),
  SPEEDSCOPE("speedscope", ".speedscope.json"),
  FIREFOX("the Firefox Profiler", ".firefox.json");

  private final String label;
  private final List<String> endings;

  OutputFormat(String label, String... endings) {
    this.label = label;
    this.endings = List.of(endings);
  }

  /** The format of a file, in lower or upper case; null if the ending is none of these. */
  static OutputFormat of(Path file) {
    if (Output.isStandardOutput(file) || Output.isDevice(file)) {
      return RECORDING;
    }
    String name = file.toString();
    return Arrays.stream(values())
        .filter(format -> !format.endingOf(name).isEmpty())
        .findFirst()
        .orElse(null);
  }

  /** All endings with what they mean, for the user. */
  static String all() {
    return Arrays.stream(values())
        .map(format -> String.join(" ", format.endings) + " (" + format.label + ")")
        .collect(Collectors.joining(", "));
  }

  /** The ending of a file of this format, as it is written; empty if it is of another. */
  String endingOf(String name) {
    return endings.stream()
        .filter(name.toLowerCase(Locale.ROOT)::endsWith)
        .map(ending -> name.substring(name.length() - ending.length()))
        .findFirst()
        .orElse("");
  }

  /** Whether samples are needed with their times. */
  boolean isTimed() {
    return this == PAGE;
  }

  /**
   * What writes all samples of a recording.
   *
   * @param title the heading, where the format has one
   */
  Export<? super SampledRecording> export(String title) {
    return switch (this) {
      case PAGE -> new FlameGraphExport(title, false);
      case PPROF -> new PprofExport(Selection.ALL);
      case COLLAPSED ->
          new CollapsedExport(
              new CollapsedExport.Options(false, false, FrameNames.PLAIN), Selection.ALL);
      case SPEEDSCOPE -> new SpeedscopeExport(title, Selection.ALL);
      case FIREFOX -> new FirefoxExport(title, Selection.ALL);
      case RECORDING -> throw new IllegalArgumentException("a recording is no export");
    };
  }
}
