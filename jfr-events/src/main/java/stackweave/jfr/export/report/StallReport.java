package stackweave.jfr.export.report;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import stackweave.jfr.export.Times;
import stackweave.jfr.export.stall.CriticalSection;
import stackweave.jfr.export.stall.Safepoint;
import stackweave.jfr.export.stall.Stalls;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

/** The sections of a report that say what kept the JVM waiting. Stateless but for the recording. */
final class StallReport {
  private static final int MAX_ROWS = 5;

  /** Null where it can't be told which samples belong to which events. */
  private final Stalls stalls;

  /**
   * @throws RecordingException if the file can't be read any more; one line for users
   */
  StallReport(SampledRecording recording) throws IOException, RecordingException {
    this.stalls = recording.sessions().size() == 1 ? Stalls.of(recording) : null;
  }

  /** Of a recording that has no samples. */
  StallReport(Stalls stalls) {
    this.stalls = stalls;
  }

  /** How often and how long, in ns. */
  private static final class Sum {
    private long count;
    private long nanos;
    private long longest;

    private void add(long more) {
      count++;
      nanos += more;
      longest = Math.max(longest, more);
    }
  }

  List<Section> sections() {
    if (stalls == null) {
      Section section = new Section("Late at safepoints");
      section.sentences.add(
          "Not told of recordings of several processes: report on each of their own recordings.");
      return List.of(section);
    }
    return List.of(safepoints(), criticalSections());
  }

  private Section safepoints() {
    Section section = new Section("Late at safepoints");
    if (!stalls.tellsSafepoints()) {
      return section; // a recording of another program, or without events of the JVM
    }
    Sum all = new Sum();
    Sum explained = new Sum();
    Sum unexplained = new Sum();
    Map<String, Sum> byPlace = new HashMap<>();
    for (Safepoint safepoint : stalls.safepoints()) {
      all.add(safepoint.nanos());
      if (safepoint.isExplained()) {
        explained.add(safepoint.nanos());
        byPlace
            .computeIfAbsent(
                safepoint.place() + ", thread " + safepoint.thread(), place -> new Sum())
            .add(safepoint.nanos());
      } else if (safepoint.nanos() >= Stalls.MIN_NANOS) {
        unexplained.add(safepoint.nanos());
      }
    }
    if (all.count == 0) {
      section.sentences.add(
          "No safepoint is recorded: stopping all threads never took as long as the threshold of"
              + " jdk.SafepointBegin (10 ms in JFR's default settings), or that is disabled.");
      return section;
    }
    section.sentences.add(
        String.format(
            Locale.ROOT,
            "%,d safepoints are recorded: until all threads were stopped it took %s in all, %s at"
                + " most.",
            all.count,
            Times.seconds(all.nanos),
            Times.seconds(all.longest)));
    if (explained.count > 0) {
      section.sentences.add(
          String.format(
              Locale.ROOT,
              "In %,d of them, %s in all, samples show a thread that ran Java code or the JVM's"
                  + " meanwhile, and so had to come to a stop yet; the one seen last is listed. A"
                  + " thread in native code delays none.",
              explained.count,
              Times.seconds(explained.nanos)));
      section.head = List.of("DELAY", "TIMES", "LATE IN");
      addRows(byPlace, section);
    }
    if (unexplained.count > 0) {
      section.sentences.add(
          String.format(
              Locale.ROOT,
              "In %,d of 1 ms or longer, %s in all, no sample shows such a thread: it waited for a"
                  + " CPU, or was not sampled in that time, as where no CPU time is sampled.",
              unexplained.count,
              Times.seconds(unexplained.nanos)));
    }
    return section;
  }

  private Section criticalSections() {
    Section section = new Section("JNI critical sections");
    if (!stalls.tellsSafepoints()) {
      return section;
    }
    if (!stalls.tellsCriticalSections()) {
      section.sentences.add(
          "This JVM has no event of them (jdk.GCLocker). " + withoutEvent(stalls.collector()));
      return section;
    }
    Sum all = new Sum();
    Map<String, Sum> byMethod = new HashMap<>();
    long waiting = 0;
    for (CriticalSection critical : stalls.criticalSections()) {
      all.add(critical.nanos());
      waiting += critical.waiting();
      String method = critical.method().isEmpty() ? "not known" : critical.method();
      String thread = critical.thread().name();
      byMethod
          .computeIfAbsent(
              method + (thread.isEmpty() ? "" : ", thread " + thread), place -> new Sum())
          .add(critical.nanos());
    }
    if (all.count == 0) {
      section.sentences.add(
          "No wait of the garbage collector for them is recorded. Recorded are those that took the"
              + " threshold of jdk.GCLocker or longer, which is 1 s in JFR's default settings; JDK 21"
              + " records none unless it is 0 ms, as the command record sets it.");
      return section;
    }
    section.sentences.add(
        String.format(
            Locale.ROOT,
            "The garbage collector waited %,d times for JNI critical sections, %s in all, %s at"
                + " most; %,d threads waited for it meanwhile. Listed is the native method that"
                + " left last.",
            all.count,
            Times.seconds(all.nanos),
            Times.seconds(all.longest),
            waiting));
    section.head = List.of("WAITED", "TIMES", "INSIDE");
    addRows(byMethod, section);
    return section;
  }

  /** What is certain of a collector whose waiting no event tells: on JDK 25 and later. */
  static String withoutEvent(String collector) {
    return switch (collector) {
      case Stalls.G1 ->
          "Its collector, G1, does not wait for them since JDK 22: it pins the regions.";
      case Stalls.SERIAL, Stalls.PARALLEL ->
          "Its collector, "
              + collector
              + ", may wait for them, which no event tells; -Xlog:gc+jni=debug does.";
      case "" ->
          "Its collector is not recorded. G1 does not wait for them since JDK 22, Serial and"
              + " Parallel may.";
      default -> "Whether its collector, " + collector + ", waits for them, no event tells.";
    };
  }

  private static void addRows(Map<String, Sum> sums, Section section) {
    List<Map.Entry<String, Sum>> sorted = new ArrayList<>(sums.entrySet());
    sorted.sort(
        (a, b) -> {
          int byTime = Long.compare(b.getValue().nanos, a.getValue().nanos);
          return byTime != 0 ? byTime : a.getKey().compareTo(b.getKey());
        });
    for (Map.Entry<String, Sum> each : sorted.subList(0, Math.min(MAX_ROWS, sorted.size()))) {
      section.rows.add(
          List.of(
              Times.seconds(each.getValue().nanos),
              String.format(Locale.ROOT, "%,d", each.getValue().count),
              each.getKey()));
    }
  }
}
