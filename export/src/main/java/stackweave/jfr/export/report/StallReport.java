package stackweave.jfr.export.report;

import java.io.IOException;
import java.util.List;
import stackweave.jfr.export.Texts;
import stackweave.jfr.export.stall.CriticalSection;
import stackweave.jfr.export.stall.Safepoint;
import stackweave.jfr.export.stall.Stalls;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

/** The sections of a report on what kept the JVM waiting. Stateless. */
final class StallReport {
  private static final int MAX_ROWS = 5;

  private StallReport() {}

  /**
   * The sections for a recording with samples.
   *
   * @throws RecordingException if the file can't be read any more; one line for users
   */
  static List<ReportSection> sections(SampledRecording recording)
      throws IOException, RecordingException {
    if (recording.sessions().size() == 1) {
      return sections(Stalls.of(recording));
    }
    // It is not known which samples belong to which events.
    ReportSection section = new ReportSection("Late at safepoints");
    section.say(
        "Not told of recordings of several processes: report on each of their own recordings.");
    return List.of(section);
  }

  /** The sections for a recording without samples. */
  static List<ReportSection> sections(Stalls stalls) {
    return List.of(safepoints(stalls), criticalSections(stalls));
  }

  private static ReportSection safepoints(Stalls stalls) {
    ReportSection section = new ReportSection("Late at safepoints");
    if (!stalls.tellsSafepoints()) {
      return section; // a recording of another program, or without events of the JVM
    }
    Sums.Sum all = new Sums.Sum("");
    Sums.Sum explained = new Sums.Sum("");
    Sums.Sum unexplained = new Sums.Sum("");
    Sums<String> byPlace = new Sums<>();
    for (Safepoint safepoint : stalls.safepoints()) {
      all.add(1, safepoint.nanos());
      if (safepoint.isExplained()) {
        explained.add(1, safepoint.nanos());
        byPlace.of(safepoint.place() + ", thread " + safepoint.thread()).add(1, safepoint.nanos());
      } else if (safepoint.nanos() >= Stalls.MIN_NANOS) {
        unexplained.add(1, safepoint.nanos());
      }
    }
    if (all.count == 0) {
      section.say(
          "No safepoint is recorded: stopping all threads never took as long as the threshold of"
              + " jdk.SafepointBegin (10 ms in JFR's default settings), or that is disabled.");
      return section;
    }
    section.say(
        "%,d safepoints are recorded: until all threads were stopped it took %s in all, %s at most.",
        all.count, Texts.seconds(all.nanos), Texts.seconds(all.longest));
    if (explained.count > 0) {
      section.say(
          "In %,d of them, %s in all, samples show a thread that ran Java code or the JVM's"
              + " meanwhile, and so had to come to a stop yet; the one seen last is listed. A"
              + " thread in native code delays none.",
          explained.count, Texts.seconds(explained.nanos));
      section.head("DELAY", "TIMES", "LATE IN");
      addRows(byPlace, section);
    }
    if (unexplained.count > 0) {
      section.say(
          "In %,d of 1 ms or longer, %s in all, no sample shows such a thread: it waited for a CPU,"
              + " or was not sampled in that time, as where no CPU time is sampled.",
          unexplained.count, Texts.seconds(unexplained.nanos));
    }
    return section;
  }

  private static ReportSection criticalSections(Stalls stalls) {
    ReportSection section = new ReportSection("JNI critical sections");
    if (!stalls.tellsSafepoints()) {
      return section;
    }
    if (!stalls.tellsCriticalSections()) {
      section.say(
          "This JVM has no event of them (jdk.GCLocker). G1 does not wait for them since JDK 22: it"
              + " pins the regions. Serial and Parallel may; -Xlog:gc+jni=debug tells.");
      return section;
    }
    Sums.Sum all = new Sums.Sum("");
    Sums<String> byMethod = new Sums<>();
    long waiting = 0;
    for (CriticalSection critical : stalls.criticalSections()) {
      all.add(1, critical.nanos());
      waiting += critical.waiting();
      String method = critical.method().isEmpty() ? "not known" : critical.method();
      String thread = critical.thread().name();
      byMethod.of(method + (thread.isEmpty() ? "" : ", thread " + thread)).add(1, critical.nanos());
    }
    if (all.count == 0) {
      section.say(
          "No wait of the garbage collector for them is recorded. Recorded are those that took the"
              + " threshold of jdk.GCLocker or longer, which is 1 s in JFR's default settings; JDK 21"
              + " records none unless it is 0 ms, as the command record sets it.");
      return section;
    }
    section.say(
        "The garbage collector waited %,d times for JNI critical sections, %s in all, %s at most;"
            + " %,d threads waited for it meanwhile. Listed is the native method that left last.",
        all.count, Texts.seconds(all.nanos), Texts.seconds(all.longest), waiting);
    section.head("WAITED", "TIMES", "INSIDE");
    addRows(byMethod, section);
    return section;
  }

  private static void addRows(Sums<String> sums, ReportSection section) {
    for (Sums.Sum each : sums.largest(MAX_ROWS)) {
      section.row(Texts.seconds(each.nanos), Texts.count(each.count), each.name);
    }
  }
}
