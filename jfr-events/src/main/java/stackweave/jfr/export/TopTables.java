package stackweave.jfr.export;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import stackweave.jfr.read.SampledRecording;
import stackweave.unwind.text.ShortText;

/** Writes the tables of one {@link TopExport}. */
final class TopTables {
  private static final int MAX_NAME = 4_096;

  private static final int FUNCTIONS = 20;
  private static final int OTHERS = 10;

  private static final String INDENT = "  ";

  /** Columns of the two shares before a name. */
  private static final int SHARES = 17;

  /** Shortens a name to a number of columns. */
  private interface Shortening {
    String shorten(String name, int columns);
  }

  private final SampledRecording recording;
  private final ProfileSums sums;
  private final String title;
  private final TopExport.Options options;
  private final boolean bySamples;
  private final long all;
  private final Appendable out;

  TopTables(SampledRecording recording, String title, TopExport.Options options, Appendable out) {
    this.recording = recording;
    this.sums = new ProfileSums(recording);
    this.title = title;
    this.options = options;
    boolean isByWeight = recording.choice().isByWeight();
    this.bySamples = !isByWeight && (options.bySamples() || recording.weightNanos() <= 0);
    this.all = bySamples ? recording.samples() : recording.weightNanos();
    this.out = out;
  }

  void write() throws IOException {
    line(ShortNames.cut(clean(title), options.width()));
    List<String> facts = new ArrayList<>();
    for (String[] fact : FlameGraphExport.facts(recording)) {
      facts.add(clean((fact[0] + " " + fact[1]).strip()));
    }
    wrap(facts, "; ", "");
    for (String note : FlameGraphExport.notes(recording)) {
      paragraph("! " + clean(note));
    }
    if (recording.choice().isByWeight() && sums.cutNanos() > 0) {
      paragraph(
          "! "
              + share(sums.cutNanos())
              + (recording.choice().isEvent() ? " of the weight" : " of the time")
              + " has a stack that does not reach its thread's first frame:"
              + " TOTAL lacks the callers that are missing.");
    } else if (sums.cutSamples() > 0) {
      paragraph(
          String.format(
              Locale.ROOT,
              "! %,d of %,d stacks are cut: they do not reach their thread's first frame, and TOTAL"
                  + " lacks those of their callers that are missing.",
              sums.cutSamples(),
              recording.samples()));
    }
    line("");
    paragraph(
        String.format(
            Locale.ROOT,
            "Shares of the %s. SELF: in its own code; TOTAL: in it or in what it calls.",
            bySamples
                ? String.format(Locale.ROOT, "%,d samples", all)
                : String.format(
                    Locale.ROOT,
                    "%s of %s that the samples stand for",
                    recording.choice().unit().text(all),
                    recording.choice().time())));
    if (recording.choice().isWall()) {
      states();
    }
    table("FUNCTION", "functions", sums.functions().values(), FUNCTIONS, ShortNames::fit);
    table("LIBRARY", "libraries", sums.libraries().values(), OTHERS, ShortNames::cut);
    threads();
  }

  private void table(
      String heading,
      String what,
      Collection<ProfileSums.Sum> all,
      int usualRows,
      Shortening shortening)
      throws IOException {
    line("");
    line("   SELF   TOTAL" + INDENT + heading);
    List<ProfileSums.Sum> sorted = sorted(all, options.byTotal());
    int rows = Math.min(sorted.size(), options.rows() > 0 ? options.rows() : usualRows);
    for (ProfileSums.Sum sum : sorted.subList(0, rows)) {
      row(share(sum.self(bySamples)), share(sum.total(bySamples)), sum.name(), shortening);
    }
    rest(sorted.subList(rows, sorted.size()), what);
  }

  /** What the threads did: of all of them, since there are few. */
  private void states() throws IOException {
    line("");
    line("  SHARE    TIME" + INDENT + "STATE");
    List<Map.Entry<String, Long>> sorted = new ArrayList<>(recording.nanosByState().entrySet());
    sorted.sort(Map.Entry.<String, Long>comparingByValue().reversed());
    for (Map.Entry<String, Long> state : sorted) {
      String time = Times.seconds(state.getValue());
      row(share(state.getValue()), time, state.getKey(), ShortNames::cut);
    }
  }

  private void threads() throws IOException {
    boolean isByWeight = recording.choice().isByWeight();
    boolean isEvent = recording.choice().isEvent();
    line("");
    line(
        (isEvent ? "  SHARE  WEIGHT" : isByWeight ? "  SHARE    TIME" : "  SHARE SAMPLES")
            + INDENT
            + "THREAD");
    List<ProfileSums.Sum> sorted = sorted(sums.threads().values(), false);
    int rows = Math.min(sorted.size(), options.rows() > 0 ? options.rows() : OTHERS);
    for (ProfileSums.Sum sum : sorted.subList(0, rows)) {
      int threads = sums.threadsNamed(sum.name());
      row(
          share(sum.self(bySamples)),
          isEvent
              ? recording.choice().unit().text(sum.self(false))
              : isByWeight
                  ? Times.seconds(sum.self(false))
                  : String.format(Locale.ROOT, "%,d", sum.self(true)),
          sum.name() + (threads > 1 ? " (" + threads + " threads)" : ""),
          ShortNames::cut);
    }
    rest(sorted.subList(rows, sorted.size()), "threads");
  }

  private void row(String first, String second, String name, Shortening shortening)
      throws IOException {
    line(
        String.format(Locale.ROOT, "%7s %7s", first, second)
            + INDENT
            + shortening.shorten(clean(bounded(name)), options.width() - SHARES));
  }

  /** Limits a name's length, which the recording controls: shortening takes quadratic time. */
  private String bounded(String name) {
    return ShortText.of(name, Math.max(MAX_NAME, options.width()));
  }

  /** A row for what is left out; own shares can be added up, totals can't. */
  private void rest(List<ProfileSums.Sum> left, String what) throws IOException {
    if (left.isEmpty()) {
      return;
    }
    long self = 0;
    for (ProfileSums.Sum sum : left) {
      self += sum.self(bySamples);
    }
    row(
        share(self),
        "",
        String.format(Locale.ROOT, "in %,d more %s", left.size(), what),
        ShortNames::cut);
  }

  private List<ProfileSums.Sum> sorted(Collection<ProfileSums.Sum> all, boolean byTotal) {
    List<ProfileSums.Sum> sorted = new ArrayList<>(all);
    Comparator<ProfileSums.Sum> self =
        Comparator.comparingLong((ProfileSums.Sum sum) -> sum.self(bySamples)).reversed();
    Comparator<ProfileSums.Sum> total =
        Comparator.comparingLong((ProfileSums.Sum sum) -> sum.total(bySamples)).reversed();
    sorted.sort(
        (byTotal ? total.thenComparing(self) : self.thenComparing(total))
            .thenComparing(ProfileSums.Sum::name));
    return sorted;
  }

  /** A percentage that is 0.0 % or 100.0 % only if exact. */
  private String share(long part) {
    double percent = all > 0 ? 100.0 * part / all : 0;
    if (part > 0 && percent < 0.05) {
      return "<0.1 %";
    }
    if (part < all && percent >= 99.95) {
      return ">99.9 %";
    }
    return String.format(Locale.ROOT, "%.1f %%", percent);
  }

  private void paragraph(String text) throws IOException {
    wrap(List.of(text.split(" +")), " ", text.startsWith("! ") ? INDENT : "");
  }

  /**
   * Writes parts in lines, breaking between parts. One that is longer than a line begins a line and
   * is broken between its words; longer words are cut.
   */
  private void wrap(List<String> parts, String between, String indent) throws IOException {
    StringBuilder line = new StringBuilder();
    boolean isFirst = true; // of its line
    for (String part : parts) {
      boolean isLong = ShortNames.columns(part) > options.width() - indent.length();
      int most = options.width() - (isLong ? INDENT : indent).length();
      String gap = between;
      String indentOfNext = indent;
      boolean isFull = isLong;
      for (String piece : isLong ? part.split(" +") : new String[] {part}) {
        String fitting = ShortNames.cut(piece, most);
        if (!isFirst && (isFull || ShortNames.columns(line + gap + fitting) > options.width())) {
          line(line.toString());
          line.setLength(0);
          line.append(indentOfNext);
          isFirst = true;
        }
        line.append(isFirst ? "" : gap).append(fitting);
        isFirst = false;
        isFull = false;
        gap = " ";
        indentOfNext = INDENT;
      }
    }
    line(line.toString());
  }

  private void line(String text) throws IOException {
    out.append(text.stripTrailing()).append('\n');
  }

  private static String clean(String text) {
    return Names.printable(text);
  }
}
