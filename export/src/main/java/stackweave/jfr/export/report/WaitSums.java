package stackweave.jfr.export.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.export.CodeOrigin;
import stackweave.jfr.export.Names;
import stackweave.jfr.export.thread.GroupName;
import stackweave.jfr.export.thread.ThreadGroups;
import stackweave.jfr.read.SampleSum;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleKind;

/**
 * Sums of the wall-clock time of a recording in ns: by state, by group of threads ({@link
 * ThreadGroups}) and place, idle waits separately. Not thread-safe.
 */
final class WaitSums {
  /** Threads that are counted as one pool. */
  static final class Group {
    private final GroupName name;

    /** All but idle waits. */
    long workNanos;

    /** Waits inside work, and by state and place. */
    long waitNanos;

    final Sums<String> waits = new Sums<>();

    /** Idle waits, and by label of {@link IdleKind}. */
    long idleNanos;

    final Sums<String> idle = new Sums<>();

    private Group(GroupName name) {
      this.name = name;
    }

    String text() {
      return Names.printable(name.text());
    }
  }

  private final Map<GroupName, Group> groups = new HashMap<>();
  private final ThreadGroups groupOf;

  /** All but idle waits by state. */
  final Sums<String> states = new Sums<>();

  /** The wall-clock time of all threads together. */
  long nanos;

  /** All but idle waits. */
  long workNanos;

  /** Waits inside work. */
  long waitNanos;

  /** Without any frame. */
  long framelessNanos;

  /** With frames, of which the outermost are missing. */
  long cutNanos;

  long waitingSamples;
  long cpuSamples;

  /** Reads the sums of a recording that was opened with its waiting threads. */
  WaitSums(SampledRecording recording) {
    groupOf = new ThreadGroups(recording);
    recording.forEachStackSum((sum, series) -> add(sum));
  }

  private void add(SampleSum sum) {
    long weight = sum.weightNanos();
    if (sum.kind() == SampleKind.CPU) {
      cpuSamples += sum.count();
    } else {
      waitingSamples += sum.count();
    }
    Group group = groups.computeIfAbsent(groupOf.add(sum), Group::new);
    nanos += weight;
    if (sum.frames().isEmpty()) {
      framelessNanos += weight;
    } else if (!sum.end().isComplete()) {
      cutNanos += weight;
    }
    IdleKind idle = IdleKind.of(sum.state(), sum.frames());
    if (idle != null) {
      group.idleNanos += weight;
      group.idle.of(idle.label()).add(0, weight);
      return;
    }
    workNanos += weight;
    group.workNanos += weight;
    states.of(sum.state()).add(0, weight);
    if (ThreadState.isBlocked(sum.state())) {
      waitNanos += weight;
      group.waitNanos += weight;
      group.waits.of(sum.state() + ": " + place(sum.frames())).add(0, weight);
    }
  }

  /**
   * The place of a wait: the innermost method that is not the JDK's; without one the innermost Java
   * method, or the innermost frame.
   */
  static String place(List<SampledFrame> frames) {
    String caller = CodeOrigin.callerOutsideOfJdk(frames);
    return !caller.isEmpty()
        ? caller
        : frames.isEmpty() ? "no frame" : frames.get(frames.size() - 1).text();
  }

  /** The groups that wait inside work, by descending time. */
  List<Group> waiting() {
    return sorted(group -> group.waitNanos);
  }

  /** The groups that are idle, by descending time. */
  List<Group> idle() {
    return sorted(group -> group.idleNanos);
  }

  private List<Group> sorted(ToLongFunction<Group> by) {
    List<Group> sorted = new ArrayList<>(groups.values());
    sorted.removeIf(group -> by.applyAsLong(group) <= 0);
    sorted.sort(Comparator.comparingLong(by).reversed().thenComparing(Group::text));
    return sorted;
  }

  int threads() {
    return groups.values().stream().mapToInt(group -> group.name.threads()).sum();
  }
}
