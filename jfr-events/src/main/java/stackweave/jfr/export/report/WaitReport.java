package stackweave.jfr.export.report;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.export.FlameGraphExport;
import stackweave.jfr.export.Names;
import stackweave.jfr.export.Times;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.SamplerFigures;

/**
 * The sections of a report that say what threads wait for. A wait counts as idle by the methods of
 * {@link IdleKind} alone.
 */
final class WaitReport {
  /** What is less is in no row. */
  private static final double SMALL = 0.01;

  /** A group of threads that takes less of all time is in no row, other parts in no sentence. */
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

  List<Section> sections() throws IOException {
    return List.of(states(), threads(), locks(), idle());
  }

  private Section states() {
    Section section = new Section("What threads wait for");
    section.sentences.add(
        String.format(
            Locale.ROOT,
            "%s of wall time of %,d %s within %s, by %,d samples of waiting threads and %,d of"
                + " CPU time. %s of it is idle: in a pool's queue, in a selector, for a connection,"
                + " or the JVM's own threads.",
            Times.seconds(sums.nanos()),
            sums.threads(),
            sums.threads() == 1 ? "thread" : "threads",
            Times.seconds(Times.nanos(Duration.between(recording.first(), recording.last()))),
            sums.waitingSamples(),
            sums.cpuSamples(),
            share(sums.idleNanos(), sums.nanos())));
    if (sums.workNanos() <= 0) {
      return section;
    }
    section.sentences.add(
        String.format(
            Locale.ROOT,
            "Of the rest, %s, %s was waiting%s; %s was on a CPU, and %s waited for one.",
            Times.seconds(sums.workNanos()),
            share(sums.waitNanos(), sums.workNanos()),
            largestWaits(),
            share(sums.states.get(ThreadState.ON_CPU.label()), sums.workNanos()),
            share(sums.states.get(ThreadState.RUNNABLE.label()), sums.workNanos())));
    section.head = List.of("SHARE", "TIME", "STATE, WITHOUT IDLE WAITS");
    for (Map.Entry<String, Long> state : sums.states.sorted()) {
      section.rows.add(
          List.of(
              share(state.getValue(), sums.workNanos()),
              Times.seconds(state.getValue()),
              state.getKey()));
    }
    return section;
  }

  /** In the form ": 40.2 % socket, 20.1 % park". */
  private String largestWaits() {
    List<String> waits = new ArrayList<>();
    for (Map.Entry<String, Long> state : sums.states.sorted()) {
      boolean isLarge = state.getValue() >= SMALL * sums.workNanos();
      if (isLarge && ThreadState.isBlocked(state.getKey())) {
        waits.add(share(state.getValue(), sums.workNanos()) + " " + state.getKey());
      }
    }
    return waits.isEmpty() ? "" : ": " + String.join(", ", waits);
  }

  private Section threads() {
    Section section = new Section("Which threads wait inside work, and where");
    section.head = List.of("WAITS", "OF THAT", "THREADS; STATE AND PLACE");
    for (WaitSums.Group group : sums.waiting()) {
      if (section.rows.size() >= groups * (places + 1)
          || group.waitNanos() < SMALL_GROUP * sums.workNanos()) {
        break;
      }
      section.rows.add(
          List.of(
              share(group.waitNanos(), group.workNanos()),
              "",
              group.text() + ", " + Times.seconds(group.workNanos())));
      List<Map.Entry<String, Long>> waits = group.waits.sorted();
      for (Map.Entry<String, Long> wait : waits.subList(0, Math.min(places, waits.size()))) {
        if (wait.getValue() >= SMALL * group.waitNanos()) {
          section.rows.add(
              List.of(
                  "", share(wait.getValue(), group.waitNanos()), Section.INDENT + wait.getKey()));
        }
      }
    }
    if (!section.rows.isEmpty()) {
      section.sentences.add(
          "WAITS: of the threads' time without idle waits. The place is the innermost method that"
              + " is not the JDK's.");
    }
    return section;
  }

  private Section locks() throws IOException {
    Section section = new Section("Which objects they waited for, by the JVM's own events");
    section.head = List.of("TIME", "WAITS", "STATE AND CLASS OF THE OBJECT");
    long queueNanos = 0;
    for (Map.Entry<LockWaits.Lock, LockWaits.Sum> each : LockWaits.read(recording.file())) {
      LockWaits.Lock lock = each.getKey();
      LockWaits.Sum sum = each.getValue();
      if (lock.isQueue()) {
        queueNanos += sum.nanos();
      } else if (section.rows.size() < groups) {
        String name = lock.className().isEmpty() ? "no object" : lock.className();
        section.rows.add(
            List.of(
                Times.seconds(sum.nanos()),
                String.format(Locale.ROOT, "%,d", sum.waits()),
                lock.kind().label() + ": " + Names.printable(name)));
      }
    }
    if (!section.rows.isEmpty()) {
      section.sentences.add(
          "Whole waits, of which JFR records those above a threshold (20 ms by default)."
              + (queueNanos == 0
                  ? ""
                  : " Without "
                      + Times.seconds(queueNanos)
                      + " on queues and conditions, as pools wait for work."));
    }
    return section;
  }

  private Section idle() {
    Section section = new Section("Idle threads");
    section.head = List.of("IDLE", "TIME", "THREADS");
    for (WaitSums.Group group : sums.idle()) {
      if (section.rows.size() >= groups || group.idleNanos() < SMALL_GROUP * sums.nanos()) {
        break;
      }
      List<String> kinds = new ArrayList<>();
      group.idle.sorted().forEach(kind -> kinds.add(kind.getKey()));
      section.rows.add(
          List.of(
              share(group.idleNanos(), group.workNanos() + group.idleNanos()),
              Times.seconds(group.idleNanos()),
              group.text() + ": " + String.join(", ", kinds)));
    }
    return section;
  }

  /** How far to trust what the others say; for a report of waiting alone with the notes. */
  Section trust(boolean withNotes) {
    Section section = new Section("How far to trust this");
    SamplerFigures figures = recording.figures();
    if (figures.get(Counter.WALL_INTERVAL) > 0) {
      section.sentences.add(
          String.format(
              Locale.ROOT,
              "Waiting threads were looked at every %s; %,d stacks read, %,d not readable.",
              Timespans.format(figures.get(Counter.WALL_INTERVAL)),
              figures.get(Counter.WALL_CAPTURED),
              figures.get(Counter.WALL_UNREAD)));
    }
    if (sums.framelessNanos() > SMALL_GROUP * sums.nanos()) {
      section.sentences.add(
          String.format(
              Locale.ROOT,
              "%s of the wall time (%s) has no stack: what it was spent in is not known.",
              share(sums.framelessNanos(), sums.nanos()),
              Times.seconds(sums.framelessNanos())));
    }
    if (sums.cutNanos() > SMALL_GROUP * sums.nanos()) {
      section.sentences.add(
          String.format(
              Locale.ROOT,
              "%s of the wall time (%s) has a stack that does not reach its thread's first frame.",
              share(sums.cutNanos(), sums.nanos()),
              Times.seconds(sums.cutNanos())));
    }
    if (withNotes) {
      section.sentences.addAll(FlameGraphExport.notes(recording));
    }
    return section;
  }

  private static String share(long part, long all) {
    return ReportExport.percent(all <= 0 ? 0 : (double) part / all);
  }
}
