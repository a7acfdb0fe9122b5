package stackweave.jfr.export.report;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import stackweave.jfr.export.Names;
import stackweave.jfr.export.RecordingFacts;
import stackweave.jfr.export.Texts;
import stackweave.jfr.read.Profile;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.choice.WeightUnit;

/**
 * What changed between two profiles: total shares of functions and libraries, each of its own
 * recording's CPU time, or wall-clock time, with the interval of their difference. Not thread-safe.
 */
public final class Comparison {
  private static final int MAX_ROWS = 15;

  /** A share before and after, each with the number of samples from which its interval follows. */
  private record Change(String name, double before, double nBefore, double after, double nAfter) {
    double difference() {
      return after - before;
    }

    Shares.Interval interval() {
      return Shares.ofDifference(after, nAfter, before, nBefore);
    }

    boolean isSure() {
      return Shares.differ(after, nAfter, before, nBefore);
    }
  }

  private final ReportSums before;
  private final ReportSums after;
  private final List<String> notes = new ArrayList<>();

  private final String time;
  private final WeightUnit unit;

  /** Reads the sums of both. */
  public Comparison(Profile before, Profile after) {
    this.before = new ReportSums(before, true);
    this.after = new ReportSums(after, true);
    RecordingFacts.notes(before).forEach(note -> notes.add("Before: " + note));
    RecordingFacts.notes(after).forEach(note -> notes.add("After: " + note));
    this.time = after.choice().time();
    this.unit = after.choice().unit();
  }

  private String text(long weight) {
    return unit == WeightUnit.NANOSECONDS ? Texts.seconds(weight) : unit.text(weight);
  }

  /**
   * Writes it as text of 80 columns, or as an HTML page.
   *
   * @return the limits that are exceeded
   * @throws RecordingException if a limit is of something that neither recording has; one line
   */
  public List<Limit> write(String title, List<Limit> limits, boolean html, Appendable out)
      throws IOException, RecordingException {
    List<Limit> exceeded = new ArrayList<>();
    List<ReportSection> sections = new ArrayList<>();
    ReportSection how = new ReportSection("What is compared");
    how.say(
        "Total shares, each of its own recording's %s: before, %,d samples for %s; after, %,d"
            + " for %s. LOW and HIGH are the ends of the change's 95 %% interval (Newcombe); a"
            + " change whose interval has 0, or that is of fewer than five samples, is noise"
            + " and not listed.",
        time, before.all.count, text(before.all.nanos), after.all.count, text(after.all.nanos));
    sections.add(how);
    ReportSection trust = new ReportSection("How far to trust this");
    trust.sentences.addAll(notes);
    sections.add(trust);
    sections.add(changes("Libraries", before.libraries, after.libraries));
    sections.add(changes("Functions", before.functions, after.functions));
    if (!limits.isEmpty()) {
      sections.add(check(limits, exceeded));
    }
    SectionWriter.write(title, sections, html, out);
    return exceeded;
  }

  private ReportSection changes(String title, Sums<String> then, Sums<String> now) {
    Set<String> names = new TreeSet<>();
    then.sorted().forEach(sum -> names.add(sum.name));
    now.sorted().forEach(sum -> names.add(sum.name));
    List<Change> sure = new ArrayList<>();
    for (String name : names) {
      Change change = change(name, then.get(name), now.get(name));
      if (change.isSure()) {
        sure.add(change);
      }
    }
    sure.sort(Comparator.comparingDouble(change -> -Math.abs(change.difference())));
    ReportSection section = new ReportSection(title);
    section.say(
        "%,d of %,d changed by more than noise%s.",
        sure.size(),
        names.size(),
        sure.isEmpty() ? "" : "; of those that did not change one in 20 looks so, too");
    section.head("CHANGE", "LOW", "HIGH", "BEFORE", "AFTER", "NAME");
    Sums.first(sure, MAX_ROWS).forEach(change -> addRow(section, change));
    return section;
  }

  private Change change(String name, Sums.Sum then, Sums.Sum now) {
    return new Change(
        name, before.share(then), before.effective(then), after.share(now), after.effective(now));
  }

  private static void addRow(ReportSection section, Change change) {
    section.row(
        points(change.difference()),
        points(change.interval().low()),
        points(change.interval().high()),
        ReportExport.percent(change.before),
        ReportExport.percent(change.after),
        change.name);
  }

  private ReportSection check(List<Limit> limits, List<Limit> exceeded) throws RecordingException {
    ReportSection section = new ReportSection("Limits");
    for (Limit limit : limits) {
      String name = Names.ofAllRuns(limit.name());
      Sums.Sum then = before.libraries.get(name);
      Sums.Sum now = after.libraries.get(name);
      if (then.count + now.count == 0) {
        then = before.functions.get(name);
        now = after.functions.get(name);
      }
      if (then.count + now.count == 0) {
        throw new RecordingException(
            "neither recording has a library or function '" + limit.name() + "'");
      }
      Change change = change(name, then, now);
      boolean isExceeded =
          limit.isExceeded(change.after, change.nAfter, change.before, change.nBefore);
      if (isExceeded) {
        exceeded.add(limit);
      }
      section.say(
          "%s: %s. It went from %s to %s; %s.",
          limit,
          isExceeded ? "EXCEEDED" : "not exceeded",
          ReportExport.percent(change.before),
          ReportExport.percent(change.after),
          surely(limit, change));
    }
    return section;
  }

  private static String surely(Limit limit, Change change) {
    if (limit.isRelative()) {
      Shares.Interval ratio =
          Shares.ofRatio(change.after, change.nAfter, change.before, change.nBefore);
      return Texts.of(
          "95 %% interval of the ratio: %.2f to %s",
          ratio.low(), Double.isInfinite(ratio.high()) ? "any" : Texts.of("%.2f", ratio.high()));
    }
    return Texts.of(
        "95 %% interval of the change: %spp to %spp",
        points(change.interval().low()), points(change.interval().high()));
  }

  private static String points(double share) {
    return Texts.of("%+.1f", 100 * share);
  }
}
