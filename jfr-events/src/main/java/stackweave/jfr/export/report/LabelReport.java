package stackweave.jfr.export.report;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampleSum;
import stackweave.jfr.read.SampledRecording;

/**
 * The section of a report that says which share of the time has which label. Ids of traces and
 * spans are not listed: there are too many.
 */
final class LabelReport {
  private static final int MAX_ROWS = 10;

  private final SampledRecording recording;
  private final Map<String, Long> nanosByLabel = new HashMap<>();
  private long labelled;
  private long all;

  /**
   * @param recording which is read once more, if it has labels
   */
  LabelReport(SampledRecording recording) {
    this.recording = recording;
  }

  /**
   * The section; empty if the recording has no labels.
   *
   * @throws RecordingException if the file can't be read any more; one line for users
   */
  Section section() throws RecordingException {
    Section section = new Section("For whom it was");
    if (!recording.hasContexts()) {
      return section;
    }
    recording.forEachSum(Instant.MIN, Instant.MAX, this::add);
    section.sentences.add(
        String.format(
            Locale.ROOT,
            "%s of the %s has labels of the application. A sample may have several.",
            ReportExport.percent(share(labelled)),
            recording.choice().time()));
    List<Map.Entry<String, Long>> sorted = new ArrayList<>(nanosByLabel.entrySet());
    sorted.sort(
        Map.Entry.<String, Long>comparingByValue()
            .reversed()
            .thenComparing(Map.Entry.comparingByKey()));
    if (!sorted.isEmpty()) {
      section.head = List.of("SHARE", "LABEL");
    }
    for (Map.Entry<String, Long> label : sorted.subList(0, Math.min(MAX_ROWS, sorted.size()))) {
      section.rows.add(List.of(ReportExport.percent(share(label.getValue())), label.getKey()));
    }
    if (sorted.size() > MAX_ROWS) {
      section.rows.add(
          List.of("", String.format(Locale.ROOT, "and %,d more", sorted.size() - MAX_ROWS)));
    }
    return section;
  }

  private void add(SampleSum sum) {
    all += sum.weightNanos();
    labelled += sum.contextId() == 0 ? 0 : sum.weightNanos();
    sum.context()
        .labels()
        .forEach(
            (key, value) -> nanosByLabel.merge(key + "=" + value, sum.weightNanos(), Long::sum));
  }

  private double share(long nanos) {
    return all == 0 ? 0 : (double) nanos / all;
  }
}
