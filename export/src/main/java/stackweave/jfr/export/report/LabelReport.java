package stackweave.jfr.export.report;

import java.time.Instant;
import java.util.List;
import stackweave.jfr.export.Texts;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

/**
 * The section of a report on the shares of time by label. Ids of traces and spans are not listed:
 * there are too many. Stateless.
 */
final class LabelReport {
  private static final int MAX_ROWS = 10;

  private LabelReport() {}

  /**
   * The section; empty if the recording has no labels, else the recording is read once more.
   *
   * @throws RecordingException if the file can't be read any more; one line for users
   */
  static ReportSection section(SampledRecording recording) throws RecordingException {
    ReportSection section = new ReportSection("For whom it was");
    if (!recording.hasContexts()) {
      return section;
    }
    Sums<String> byLabel = new Sums<>();
    Sums.Sum all = new Sums.Sum("");
    Sums.Sum labelled = new Sums.Sum("");
    recording.forEachSum(
        Instant.MIN,
        Instant.MAX,
        sum -> {
          all.add(sum);
          if (sum.contextId() != 0) {
            labelled.add(sum);
          }
          sum.context()
              .labels()
              .forEach((key, value) -> byLabel.of(key + "=" + value).add(0, sum.weightNanos()));
        });
    section.say(
        "%s of the %s has labels of the application. A sample may have several.",
        ReportExport.percent(labelled.nanos, all.nanos), recording.choice().time());
    List<Sums.Sum> sorted = byLabel.sorted();
    if (!sorted.isEmpty()) {
      section.head("SHARE", "LABEL");
    }
    for (Sums.Sum label : Sums.first(sorted, MAX_ROWS)) {
      section.row(ReportExport.percent(label.nanos, all.nanos), label.name);
    }
    if (sorted.size() > MAX_ROWS) {
      section.row("", Texts.of("and %,d more", sorted.size() - MAX_ROWS));
    }
    return section;
  }
}
