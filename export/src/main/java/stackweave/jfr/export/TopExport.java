package stackweave.jfr.export;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import stackweave.jfr.read.Profile;
import stackweave.jfr.read.choice.SampleChoice;

/**
 * Tables for a terminal of the functions, libraries and threads with the most samples: their shares
 * of the samples' CPU or wall-clock time, or of the number of samples.
 */
public final class TopExport extends TextExport<Profile> {

  /** The columns of a terminal of unknown width. */
  public static final int USUAL_WIDTH = 80;

  /** The fewest columns of a readable table. */
  public static final int MIN_WIDTH = 40;

  /**
   * The options of the tables.
   *
   * @param rows most rows of each table; 0 for 20 functions, 10 libraries and 10 threads
   * @param byTotal whether rows are sorted by their total instead of their own share
   * @param bySamples whether shares are of the samples instead of the CPU time; of wall-clock time
   *     they never are
   * @param width most columns of a line, at least {@link #MIN_WIDTH}
   */
  public record Options(int rows, boolean byTotal, boolean bySamples, int width) {
    /**
     * @throws IllegalArgumentException if rows are negative or width is below {@link #MIN_WIDTH}
     */
    public Options {
      if (rows < 0 || width < MIN_WIDTH) {
        throw new IllegalArgumentException(rows + " rows, " + width + " columns");
      }
    }
  }

  private final String title;
  private final Options options;

  /**
   * @param title the heading of the tables, such as the recording's file name
   */
  public TopExport(String title, Options options) {
    this.title = title;
    this.options = options;
  }

  @Override
  public void writeText(Profile profile, Appendable out) throws IOException {
    new Tables(profile, out).write();
  }

  /** Writes the table of functions alone: its heading, its rows, and one for the others. */
  public void writeFunctions(Profile profile, Appendable out) throws IOException {
    new Tables(profile, out).writeFunctions();
  }

  /** The tables of one profile. */
  private final class Tables {

    private static final int FUNCTIONS = 20;
    private static final int OTHERS = 10;
    private static final String HEAD = "   SELF   TOTAL";

    private static final String INDENT = "  ";

    /** Columns of the two shares before a name. */
    private static final int SHARES = 17;

    private final Profile profile;
    private final SampleChoice choice;
    private final ProfileSums sums;
    private final boolean bySamples;
    private final long all;
    private final TextLines lines;

    Tables(Profile profile, Appendable out) {
      this.profile = profile;
      this.choice = profile.choice();
      this.sums = new ProfileSums(profile);
      this.bySamples =
          choice.isCounted()
              || !choice.isByWeight() && (options.bySamples() || profile.weightNanos() <= 0);
      this.all = bySamples ? profile.samples() : profile.weightNanos();
      this.lines = new TextLines(out, options.width());
    }

    void write() throws IOException {
      lines.line(ShortNames.cut(clean(title), options.width()));
      List<String> facts = new ArrayList<>();
      for (List<String> fact : RecordingFacts.of(profile)) {
        facts.add(clean((fact.get(0) + " " + fact.get(1)).strip()));
      }
      lines.wrap(String.join("; ", facts), "");
      for (String note : RecordingFacts.notes(profile)) {
        paragraph("! " + clean(note));
      }
      if (!bySamples && choice.isByWeight() && sums.cut.value(false) > 0) {
        paragraph(
            "! "
                + share(sums.cut.value(false))
                + (choice.isEvent() ? " of the weight" : " of the time")
                + " has a stack that does not reach its thread's first frame:"
                + " TOTAL lacks the callers that are missing.");
      } else if (sums.cut.value(true) > 0) {
        paragraph(
            Texts.of(
                "! %,d of %,d stacks are cut: they do not reach their thread's first frame, and TOTAL"
                    + " lacks those of their callers that are missing.",
                sums.cut.value(true), profile.samples()));
      }
      lines.line("");
      paragraph(
          Texts.of(
              "Shares of the %s. SELF: in its own code; TOTAL: in it or in what it calls.",
              bySamples
                  ? Texts.of("%,d samples", all)
                  : Texts.of(
                      "%s of %s that the samples stand for",
                      choice.unit().text(all), choice.time())));
      if (choice.isWall()) {
        states();
      }
      lines.line("");
      writeFunctions();
      lines.line("");
      table(
          HEAD + "  LIBRARY",
          "libraries",
          sorted(sums.libraries(), options.byTotal()),
          OTHERS,
          this::total);
      lines.line("");
      boolean isOfSamples = bySamples || !choice.isByWeight();
      String column = isOfSamples ? "SAMPLES" : choice.isEvent() ? "WEIGHT" : "TIME";
      table(
          Texts.of("  SHARE %7s  THREAD", column),
          "threads",
          sorted(sums.threads(), false),
          OTHERS,
          row -> {
            long weight = row.self().value(false);
            return isOfSamples
                ? Texts.count(row.self().value(true))
                : choice.isEvent() ? choice.unit().text(weight) : Texts.seconds(weight);
          });
    }

    void writeFunctions() throws IOException {
      table(
          HEAD + "  FUNCTION",
          "functions",
          sorted(sums.functions(), options.byTotal()),
          FUNCTIONS,
          this::total);
    }

    private String total(ProfileSums.Row row) {
      return share(row.total().value(bySamples));
    }

    /** Writes a table, with the rest in a row of its own: own shares add up, totals do not. */
    private void table(
        String heading,
        String what,
        List<ProfileSums.Row> sorted,
        int usualRows,
        Function<ProfileSums.Row, String> second)
        throws IOException {
      lines.line(heading);
      int rows = Math.min(sorted.size(), options.rows() > 0 ? options.rows() : usualRows);
      for (ProfileSums.Row row : sorted.subList(0, rows)) {
        row(share(row.self().value(bySamples)), second.apply(row), row.name());
      }
      List<ProfileSums.Row> left = sorted.subList(rows, sorted.size());
      if (!left.isEmpty()) {
        long self = left.stream().mapToLong(row -> row.self().value(bySamples)).sum();
        row(share(self), "", Texts.of("in %,d more %s", left.size(), what));
      }
    }

    /** Writes the states of threads; all of them, since there are few. */
    private void states() throws IOException {
      lines.line("");
      lines.line("  SHARE    TIME  STATE");
      List<Map.Entry<String, Long>> sorted = new ArrayList<>(profile.nanosByState().entrySet());
      sorted.sort(Map.Entry.<String, Long>comparingByValue().reversed());
      for (Map.Entry<String, Long> state : sorted) {
        String time = Texts.seconds(state.getValue());
        row(share(state.getValue()), time, state.getKey());
      }
    }

    private void row(String first, String second, String name) throws IOException {
      lines.line(
          Texts.of("%7s %7s  ", first, second)
              + ShortNames.fit(lines.bounded(name), options.width() - SHARES));
    }

    private List<ProfileSums.Row> sorted(Collection<ProfileSums.Row> all, boolean byTotal) {
      List<ProfileSums.Row> sorted = new ArrayList<>(all);
      Comparator<ProfileSums.Row> self =
          Comparator.comparingLong((ProfileSums.Row sum) -> sum.self().value(bySamples)).reversed();
      Comparator<ProfileSums.Row> total =
          Comparator.comparingLong((ProfileSums.Row sum) -> sum.total().value(bySamples))
              .reversed();
      sorted.sort(
          (byTotal ? total.thenComparing(self) : self.thenComparing(total))
              .thenComparing(ProfileSums.Row::name));
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
      return Texts.of("%.1f %%", percent);
    }

    private void paragraph(String text) throws IOException {
      lines.wrap(text, text.startsWith("! ") ? INDENT : "");
    }

    private static String clean(String text) {
      return Names.printable(text);
    }
  }
}
