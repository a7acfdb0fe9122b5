package stackweave.jfr.export.report;

import static stackweave.jfr.export.report.ReportExport.percent;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.export.CodeOrigin;
import stackweave.jfr.export.FrameCategory;
import stackweave.jfr.export.RecordingFacts;
import stackweave.jfr.export.Texts;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampleSum;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.read.choice.WeightUnit;
import stackweave.jfr.status.Counter;

/**
 * The sections of a report on samples of an event, or of memory: where it happened, for which
 * caller, when, and how reliable that is. CPU time is not in them. Used by {@link ReportExport}.
 */
final class EventReport {
  private static final int MAX_PLACES = 15;
  private static final int MAX_CALLERS = 3;
  private static final int QUARTERS = 4;

  private final SampledRecording recording;
  private final SampleChoice choice;

  /** Whether weights are of native memory, which may be given back. */
  private final boolean isGrowth;

  private final Sums.Sum all = new Sums.Sum("all");
  private final Sums<String> places = new Sums<>();
  private final Map<String, Sums<String>> callers = new HashMap<>();

  /** Sums by place, for each quarter of the time. */
  private final List<Sums<String>> quarters = new ArrayList<>();

  private final long length;
  private long cut;

  EventReport(SampledRecording recording) throws RecordingException {
    this.recording = recording;
    this.choice = recording.choice();
    this.isGrowth = choice.unit() == WeightUnit.BYTES && !choice.isOfJdk();
    this.length = Texts.nanos(Duration.between(recording.first(), recording.last())) + 1;
    for (int i = 0; i < QUARTERS; i++) {
      Instant from = i == 0 ? Instant.MIN : at(i);
      Instant to = i == QUARTERS - 1 ? Instant.MAX : at(i + 1);
      Sums<String> quarter = new Sums<>();
      quarters.add(quarter);
      recording.forEachSum(from, to, sum -> add(sum, quarter));
    }
  }

  private Instant at(int quarter) {
    return recording.first().plusNanos(length * quarter / QUARTERS);
  }

  private void add(SampleSum sum, Sums<String> quarter) {
    List<SampledFrame> frames = sum.frames();
    int at = frames.size() - 1;
    while (at > 0 && isBelow(frames.get(at))) {
      at--;
    }
    String name = frames.isEmpty() ? "[no frames]" : frames.get(at).text();
    all.add(sum);
    places.of(name).add(sum);
    quarter.of(name).add(sum);
    String caller = CodeOrigin.callerOutsideOfJdk(frames.subList(0, at + 1));
    callers
        .computeIfAbsent(name, any -> new Sums<>())
        .of(caller.isEmpty() ? "no Java caller" : caller)
        .add(sum);
    cut += sum.end().isComplete() ? 0 : sum.weightNanos();
  }

  /** Whether a frame shows only how something happened: of the kernel, or of the C library. */
  private static boolean isBelow(SampledFrame frame) {
    return FrameCategory.of(frame) == FrameCategory.KERNEL || Place.isRuntime(frame);
  }

  List<ReportSection> sections() {
    return List.of(places(), times(), trust());
  }

  private ReportSection places() {
    ReportSection section = new ReportSection("Where " + what());
    // Numbers of events need no "of" before the type.
    boolean isOfEvents = choice.unit() == WeightUnit.EVENTS;
    String what = choice.unit().text(all.nanos) + (isOfEvents ? " " : " of ") + choice.time();
    section.say(
        "%s within %s. A place is %s that is neither the kernel's nor the C library's; below it are"
            + " its Java callers, the innermost outside of the JDK if there is one.",
        isGrowth
            ? "Net growth is " + what
            : choice.isCounted()
                ? Texts.of("%,d samples were taken", recording.samples())
                : Texts.of("%,d samples stand for %s", recording.samples(), what),
        Texts.seconds(length),
        choice.isOfJdk() && !choice.isCounted()
            ? "the class of the object, or the innermost function"
            : "the innermost function");
    if (isGrowth) {
      section.say(
          "For a rate divide by that time, not by the recording's: it is from the first to the last"
              + " event, and begins later than the recording.");
      section.head("SHARE", "BYTES", "PLACE");
    } else if (choice.isCounted()) {
      section.head("SHARE", "SAMPLES", "PLACE");
    } else {
      section.head("SHARE", "WEIGHT", "SAMPLES", "PLACE");
    }
    for (Sums.Sum place : largest(places, MAX_PLACES)) {
      row(section, place, "");
      for (Sums.Sum caller : largest(callers.get(place.name), MAX_CALLERS)) {
        if (!caller.name.equals(place.name)) {
          row(section, caller, ReportSection.INDENT);
        }
      }
    }
    return section;
  }

  private String what() {
    if (choice.takesEvent(SampledEvent.NATIVE_ALLOCATIONS)) {
      return "what is live was allocated";
    }
    if (choice.isOfJdk()) {
      return choice.isCounted() ? "threads were" : "it happened";
    }
    return isGrowth ? "native memory was first touched" : "it happened";
  }

  /** Samples of bytes include those of memory that was given back, so their number is not shown. */
  private void row(ReportSection section, Sums.Sum sum, String indent) {
    String weight = choice.unit().text(sum.nanos);
    if (isGrowth || choice.isCounted()) {
      section.row(percent(sum.nanos, all.nanos), weight, indent + sum.name);
    } else {
      section.row(percent(sum.nanos, all.nanos), weight, Texts.count(sum.count), indent + sum.name);
    }
  }

  private ReportSection times() {
    ReportSection section = new ReportSection("When");
    section.say(
        "What goes on at the same pace has four equal quarters of the recording's time; what a start"
            + " alone needed, has most of it in the first.");
    section.head("1ST", "2ND", "3RD", "4TH", "PLACE");
    addQuarters(section, "all", quarter -> quarter.sum().nanos);
    for (Sums.Sum place : largest(places, MAX_CALLERS)) {
      addQuarters(section, place.name, quarter -> quarter.get(place.name).nanos);
    }
    return section;
  }

  private void addQuarters(
      ReportSection section, String name, ToLongFunction<Sums<String>> weight) {
    List<String> row = new ArrayList<>();
    quarters.forEach(quarter -> row.add(choice.unit().text(weight.applyAsLong(quarter))));
    row.add(name);
    section.rows.add(row);
  }

  private ReportSection trust() {
    ReportSection section = new ReportSection("How far this can be trusted");
    section.say(
        "Weights are %s, and no CPU time.",
        switch (choice.unit()) {
          case BYTES -> "bytes";
          case EVENTS -> "numbers of events";
          case NANOSECONDS -> "the time that threads waited";
        });
    section.say(
        "%s of it has a stack that reaches its thread's first frame.",
        percent(all.nanos - cut, all.nanos));
    if (choice.takesEvent(SampledEvent.NATIVE_MEMORY)) {
      section.say(
          "Memory that was freed and is used again counts for the stack that touched it first: who"
              + " leaks blocks of malloc among others that are freed, only record"
              + " --native-allocations tells.");
    }
    long lost = recording.figures().get(Counter.ALLOCATIONS_LOST);
    if (choice.takesEvent(SampledEvent.NATIVE_ALLOCATIONS) && lost > 0) {
      section.say(
          "%,d calls were lost: some blocks are missing, others seem to be live that are not.",
          lost);
    }
    long counted = recording.figures().get(Counter.EVENTS_COUNTED);
    if (choice.unit() == WeightUnit.EVENTS && counted > 0) {
      section.say(
          "The kernel counted %,d events while it was sampled; the samples stand for %.1f %% of"
              + " them.",
          counted, Math.min(100.0, 100.0 * all.nanos / counted));
    }
    section.sentences.addAll(RecordingFacts.notes(recording));
    return section;
  }

  /** The largest sums, without memory that was all given back. */
  private static List<Sums.Sum> largest(Sums<String> sums, int most) {
    return sums.largest(most).stream().filter(sum -> sum.nanos > 0).toList();
  }
}
