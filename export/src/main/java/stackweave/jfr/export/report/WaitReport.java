package stackweave.jfr.export.report;

import static stackweave.jfr.export.report.ReportExport.percent;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.export.Names;
import stackweave.jfr.export.RecordingFacts;
import stackweave.jfr.export.Texts;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.SamplerFigures;

/**
 * Sections of a report on what threads wait for. Only methods of {@link IdleKind} make a wait idle.
 */
final class WaitReport {
  /** Smaller shares get no row. */
  private static final double SMALL = 0.01;

  /** Groups of threads with a smaller share of all time get no row, other parts no sentence. */
  private static final double SMALL_GROUP = 0.001;

  private final SampledRecording recording;
  private final WaitSums sums;
  private final int groups;
  private final int places;

  /**
   * @param recording opened with its waiting threads
   * @param groups most groups of threads of a table
   * @param places most places of a group
   */
  WaitReport(SampledRecording recording, int groups, int places) {
    this.recording = recording;
    this.sums = new WaitSums(recording);
    this.groups = groups;
    this.places = places;
  }

  List<ReportSection> sections() throws IOException, RecordingException {
    return List.of(states(), threads(), locks(), idle());
  }

  private ReportSection states() {
    ReportSection section = new ReportSection("What threads wait for");
    section.say(
        "%s of wall time of %,d %s within %s, by %,d samples of waiting threads and %,d of CPU time."
            + " %s of it is idle: in a pool's queue, in a selector, for a connection, or the JVM's"
            + " own threads.",
        Texts.seconds(sums.nanos),
        sums.threads(),
        sums.threads() == 1 ? "thread" : "threads",
        Texts.seconds(Texts.nanos(Duration.between(recording.first(), recording.last()))),
        sums.waitingSamples,
        sums.cpuSamples,
        percent(sums.nanos - sums.workNanos, sums.nanos));
    if (sums.workNanos <= 0) {
      return section;
    }
    section.say(
        "Of the rest, %s, %s was waiting%s; %s was on a CPU, and %s waited for one.",
        Texts.seconds(sums.workNanos),
        ofWork(sums.waitNanos),
        largestWaits(),
        ofWork(sums.states.get(ThreadState.ON_CPU.label()).nanos),
        ofWork(sums.states.get(ThreadState.RUNNABLE.label()).nanos));
    section.head("SHARE", "TIME", "STATE, WITHOUT IDLE WAITS");
    for (Sums.Sum state : sums.states.sorted()) {
      section.row(ofWork(state.nanos), Texts.seconds(state.nanos), state.name);
    }
    return section;
  }

  private String ofWork(long nanos) {
    return percent(nanos, sums.workNanos);
  }

  /** Text of the form ": 40.2 % socket, 20.1 % park". */
  private String largestWaits() {
    String waits =
        sums.states.sorted().stream()
            .filter(state -> state.nanos >= SMALL * sums.workNanos)
            .filter(state -> ThreadState.isBlocked(state.name))
            .map(state -> ofWork(state.nanos) + " " + state.name)
            .collect(Collectors.joining(", "));
    return waits.isEmpty() ? "" : ": " + waits;
  }

  private ReportSection threads() {
    ReportSection section = new ReportSection("Which threads wait inside work, and where");
    section.head("WAITS", "OF THAT", "THREADS; STATE AND PLACE");
    for (WaitSums.Group group : sums.waiting()) {
      if (section.rows.size() >= groups * (places + 1)
          || group.waitNanos < SMALL_GROUP * sums.workNanos) {
        break;
      }
      section.row(
          percent(group.waitNanos, group.workNanos),
          "",
          group.text() + ", " + Texts.seconds(group.workNanos));
      for (Sums.Sum wait : group.waits.largest(places)) {
        if (wait.nanos >= SMALL * group.waitNanos) {
          section.row("", percent(wait.nanos, group.waitNanos), ReportSection.INDENT + wait.name);
        }
      }
    }
    if (!section.rows.isEmpty()) {
      section.say(
          "WAITS: of the threads' time without idle waits. The place is the innermost method that"
              + " is not the JDK's.");
    }
    return section;
  }

  private ReportSection locks() throws IOException, RecordingException {
    ReportSection section =
        new ReportSection("Which objects they waited for, by the JVM's own events");
    section.head("TIME", "WAITS", "STATE AND CLASS OF THE OBJECT");
    LockWaits locks = LockWaits.read(recording.file());
    for (Sums.Sum lock : locks.waits.largest(groups)) {
      String name = lock.name.endsWith(": ") ? lock.name + "no object" : lock.name;
      section.row(Texts.seconds(lock.nanos), Texts.count(lock.count), Names.printable(name));
    }
    if (!section.rows.isEmpty()) {
      long queues = locks.queues.sum().nanos;
      section.say(
          "Whole waits, of which JFR records those above a threshold (20 ms by default)."
              + (queues == 0
                  ? ""
                  : " Without "
                      + Texts.seconds(queues)
                      + " on queues and conditions, as pools wait for work."));
    }
    return section;
  }

  private ReportSection idle() {
    ReportSection section = new ReportSection("Idle threads");
    section.head("IDLE", "TIME", "THREADS");
    for (WaitSums.Group group : sums.idle()) {
      if (section.rows.size() >= groups || group.idleNanos < SMALL_GROUP * sums.nanos) {
        break;
      }
      String kinds =
          group.idle.sorted().stream().map(kind -> kind.name).collect(Collectors.joining(", "));
      section.row(
          percent(group.idleNanos, group.workNanos + group.idleNanos),
          Texts.seconds(group.idleNanos),
          group.text() + ": " + kinds);
    }
    return section;
  }

  /** How reliable the other sections are; a report on waiting only has notes, too. */
  ReportSection trust(boolean withNotes) {
    ReportSection section = new ReportSection("How far to trust this");
    SamplerFigures figures = recording.figures();
    if (figures.get(Counter.WALL_INTERVAL) > 0) {
      section.say(
          "Waiting threads were looked at every %s; %,d stacks read, %,d not readable.",
          Timespans.format(figures.get(Counter.WALL_INTERVAL)),
          figures.get(Counter.WALL_CAPTURED),
          figures.get(Counter.WALL_UNREAD));
    }
    if (sums.framelessNanos > SMALL_GROUP * sums.nanos) {
      section.say(
          "%s of the wall time (%s) has no stack: what it was spent in is not known.",
          percent(sums.framelessNanos, sums.nanos), Texts.seconds(sums.framelessNanos));
    }
    if (sums.cutNanos > SMALL_GROUP * sums.nanos) {
      section.say(
          "%s of the wall time (%s) has a stack that does not reach its thread's first frame.",
          percent(sums.cutNanos, sums.nanos), Texts.seconds(sums.cutNanos));
    }
    if (withNotes) {
      section.sentences.addAll(RecordingFacts.notes(recording));
    }
    return section;
  }
}
