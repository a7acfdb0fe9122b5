package stackweave.jfr.export;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.SessionFacts;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.SamplerFigures;

/**
 * A flame graph as one self-contained HTML page: its content security policy forbids any network
 * access. Widths are samples, or the time that they stand for.
 */
public final class FlameGraphExport extends TextExport {
  private static final String TEMPLATE = "flamegraph.html";
  private static final String TITLE_MARK = "@TITLE@";
  private static final String DATA_MARK = "@DATA@";

  /** Marks a fact that is shown in colour. */
  private static final String WARN = "warn";

  private final String title;
  private final boolean threads;

  /**
   * @param title the page's title, such as the recording's file name
   * @param threads whether each stack begins with its thread
   */
  public FlameGraphExport(String title, boolean threads) {
    this.title = title;
    this.threads = threads;
  }

  @Override
  void writeText(SampledRecording recording, Appendable out) throws IOException {
    String page = template();
    int titleAt = page.indexOf(TITLE_MARK);
    int dataAt = page.indexOf(DATA_MARK);
    out.append(page, 0, titleAt);
    out.append(escapeHtml(title)).append(" – Stackweave flame graph");
    out.append(page, titleAt + TITLE_MARK.length(), dataAt);
    writeData(recording, new FlameTree(recording, threads), new Json(out));
    out.append(page, dataAt + DATA_MARK.length(), page.length());
  }

  private static String template() throws IOException {
    try (InputStream in = FlameGraphExport.class.getResourceAsStream(TEMPLATE)) {
      if (in == null) {
        throw new IOException("the agent's jar lacks " + TEMPLATE + ": it is damaged");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private void writeData(SampledRecording recording, FlameTree tree, Json json) throws IOException {
    FlameData data = new FlameData(tree);
    json.beginObject();
    json.name("title").value(title);
    json.name("timeLabel").value("CPU time");
    // If samples stand for skipped ones, too, their weight counts.
    json.name("byTime").value(recording.figures().get(Counter.THINNED) > 0 ? 1 : 0);
    json.name("facts").beginArray();
    for (String[] fact : facts(recording)) {
      json.beginArray();
      for (String part : fact) {
        json.value(part);
      }
      json.endArray();
    }
    json.endArray();
    json.name("notes").beginArray();
    for (String note : notes(recording, tree)) {
      json.value(note);
    }
    json.endArray();
    json.name("kinds").beginArray();
    for (FrameCategory category : FrameCategory.values()) {
      json.beginObject();
      json.name("label").value(category.label());
      json.name("about").value(category.about());
      json.name("color").beginArray();
      json.value(category.hue()).value(category.saturation()).value(category.lightness());
      json.endArray().endObject();
    }
    json.endArray();
    json.name("names").beginArray();
    for (String name : data.names()) {
      json.value(name);
    }
    json.endArray();
    json.name("tree").value(data.tree());
    json.name("guesses").beginArray();
    for (FlameData.Guess guess : data.guesses()) {
      json.beginArray().value(guess.node()).value(guess.how()).value(guess.samples()).endArray();
    }
    json.endArray();
    json.endObject();
  }

  /** Facts about the recording: label and text of each; the label may be empty. */
  static List<String[]> facts(SampledRecording recording) {
    List<String[]> facts = new ArrayList<>();
    Set<String> jdks = new LinkedHashSet<>();
    for (SessionFacts session : recording.sessions()) {
      if (!session.jdk().isEmpty()) {
        jdks.add(session.jdk() + (session.abi().isEmpty() ? "" : ", " + session.abi()));
      }
    }
    if (!jdks.isEmpty()) {
      facts.add(new String[] {"", String.join("; ", jdks)});
    }
    if (recording.sessions().size() > 1) {
      facts.add(new String[] {"Processes", Integer.toString(recording.sessions().size())});
    }
    facts.add(new String[] {"Samples", String.format(Locale.ROOT, "%,d", recording.samples())});
    Duration length = Duration.between(recording.first(), recording.last());
    facts.add(new String[] {"Over", seconds(Times.nanos(length))});
    SamplerFigures figures = recording.figures();
    if (!figures.engine().isEmpty()) {
      facts.add(new String[] {"Engine", figures.engine()});
    }
    if (figures.get(Counter.INTERVAL) > 0) {
      facts.add(
          new String[] {
            "Interval",
            figures.get(Counter.INTERVAL_REACHED) > figures.get(Counter.INTERVAL)
                ? "asked "
                    + Timespans.format(figures.get(Counter.INTERVAL))
                    + ", about "
                    + Timespans.format(figures.get(Counter.INTERVAL_REACHED))
                    + ": this kernel's clock tick"
                : Timespans.format(figures.get(Counter.INTERVAL))
          });
    }
    if (figures.get(Counter.CPU_USED) > 0) {
      facts.add(
          new String[] {
            "CPU time covered",
            seconds(figures.get(Counter.CPU_COVERED))
                + " of "
                + seconds(figures.get(Counter.CPU_USED))
                + " used ("
                + percent(figures.get(Counter.CPU_COVERED), figures.get(Counter.CPU_USED))
                + ")",
            figures.coverage().isPoor() ? WARN : ""
          });
    } else if (recording.weightNanos() > 0) {
      facts.add(new String[] {"CPU time", seconds(recording.weightNanos())});
    }
    if (!figures.coverage().start().isEmpty() && !figures.coverage().isMuchMissed()) {
      facts.add(new String[] {"", figures.coverage().start()}); // else it is a note, in colour
    }
    long[] complete = new long[2];
    recording.forEachStack(
        (thread, end, frames, count, weight) -> {
          boolean guessed = frames.stream().anyMatch(frame -> frame.found().isGuess());
          complete[guessed ? 1 : 0] += end.isComplete() ? count : 0;
        });
    facts.add(new String[] {"Complete stacks", percent(complete[0], recording.samples())});
    if (complete[1] > 0) {
      facts.add(
          new String[] {"Complete with guessed frames", percent(complete[1], recording.samples())});
    }
    return facts;
  }

  /** What a reader must know to interpret the figures, one sentence each; empty for nothing. */
  static List<String> notes(SampledRecording recording) {
    List<String> notes = new ArrayList<>(recording.losses());
    notes.addAll(recording.warnings());
    SamplerFigures figures = recording.figures();
    for (Counter counter : Counter.values()) {
      if (!counter.inExports().isEmpty() && figures.get(counter) > 0) {
        notes.add(String.format(Locale.ROOT, "%,d %s.", figures.get(counter), counter.inExports()));
      }
    }
    if (figures.get(Counter.CPU_KERNEL) > 0) {
      notes.add(
          String.format(
              Locale.ROOT,
              "About %s of the CPU time was spent in the kernel and not sampled.",
              percent(figures.get(Counter.CPU_KERNEL), figures.get(Counter.CPU_USED))));
    }
    return notes;
  }

  private static List<String> notes(SampledRecording recording, FlameTree tree) {
    List<String> notes = notes(recording);
    if (tree.leftOut() > 0) {
      notes.add(
          String.format(
              Locale.ROOT,
              "%,d frames of fewer than %,d samples each are summed up.",
              tree.leftOut(),
              tree.smallest()));
    }
    return notes;
  }

  private static String seconds(long nanos) {
    return String.format(Locale.ROOT, nanos < 100_000_000_000L ? "%.2f s" : "%,.0f s", nanos / 1e9);
  }

  /** A percentage that is never rounded up to 100 %. */
  private static String percent(long part, long all) {
    if (part == all) {
      return "100 %";
    }
    double percent = Math.floor(10_000.0 * part / all) / 100;
    return String.format(Locale.ROOT, "%.2f %%", percent);
  }

  private static String escapeHtml(String text) {
    return Names.encodable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
