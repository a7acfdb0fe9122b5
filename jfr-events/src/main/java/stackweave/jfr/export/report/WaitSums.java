package stackweave.jfr.export.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.export.Names;
import stackweave.jfr.export.thread.CommonName;
import stackweave.jfr.export.thread.ThreadGroups;
import stackweave.jfr.export.thread.ThreadKey;
import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.SampleSum;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleKind;

/**
 * Sums of the wall-clock time of a recording: by state, by group of threads ({@link ThreadGroups})
 * and place, idle waits apart. Not thread-safe.
 */
final class WaitSums {
  /** Classes that wait for their callers. */
  private static final Pattern LIBRARY_CLASS =
      Pattern.compile("(java|javax|jdk|sun|com[.]sun)[.].*");

  /** Time by name. */
  static final class Times {
    private final Map<String, Long> nanos = new HashMap<>();

    private void add(String name, long more) {
      nanos.merge(name, more, Long::sum);
    }

    long get(String name) {
      return nanos.getOrDefault(name, 0L);
    }

    /** The largest first. */
    List<Map.Entry<String, Long>> sorted() {
      List<Map.Entry<String, Long>> sorted = new ArrayList<>(nanos.entrySet());
      sorted.sort(
          Map.Entry.<String, Long>comparingByValue()
              .reversed()
              .thenComparing(Map.Entry.comparingByKey()));
      return sorted;
    }
  }

  /** Threads that are counted as one pool. */
  static final class Group {
    private final Set<ThreadKey> threads = new HashSet<>();
    private final String foldedName;
    private final CommonName name;
    private long nanos;
    private long waitNanos;
    private long idleNanos;

    /** Waits inside work, by state and place. */
    final Times waits = new Times();

    /** By label of {@link IdleKind}. */
    final Times idle = new Times();

    private Group(String foldedName, String name) {
      this.foldedName = foldedName;
      this.name = new CommonName(name);
    }

    /** The name of a single thread, or the common one with the number of threads. */
    String text() {
      return threads.size() == 1 ? name.text() : foldedName + " (" + threads.size() + " threads)";
    }

    /** All but idle waits, in ns. */
    long workNanos() {
      return nanos - idleNanos;
    }

    /** Waits inside work, in ns. */
    long waitNanos() {
      return waitNanos;
    }

    long idleNanos() {
      return idleNanos;
    }
  }

  private final Map<String, Group> groups = new HashMap<>();
  private final ThreadGroups groupOf;

  /** All but idle waits by state. */
  final Times states = new Times();

  private long nanos;
  private long idleNanos;
  private long waitNanos;
  private long framelessNanos;
  private long cutNanos;
  private long waitingSamples;
  private long cpuSamples;

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
    String name = Names.printable(sum.thread().text());
    String folded = Names.printable(groupOf.of(sum.thread()));
    Group group = groups.computeIfAbsent(folded, text -> new Group(text, name));
    group.name.add(name);
    group.threads.add(ThreadKey.of(sum.session(), sum.thread()));
    group.nanos += weight;
    nanos += weight;
    if (sum.frames().isEmpty()) {
      framelessNanos += weight;
    } else if (!sum.end().isComplete()) {
      cutNanos += weight;
    }
    IdleKind idle = IdleKind.of(sum);
    if (idle != null) {
      group.idleNanos += weight;
      group.idle.add(idle.label(), weight);
      idleNanos += weight;
      return;
    }
    states.add(sum.state(), weight);
    if (ThreadState.isBlocked(sum.state())) {
      waitNanos += weight;
      group.waitNanos += weight;
      group.waits.add(sum.state() + ": " + place(sum.frames()), weight);
    }
  }

  /**
   * What waits: the innermost method that is not the JDK's; without one the innermost Java method,
   * or the innermost frame.
   */
  static String place(List<SampledFrame> frames) {
    String java = "";
    for (int i = frames.size() - 1; i >= 0; i--) {
      if (Place.isJava(frames.get(i))) {
        String text = FrameText.of(frames.get(i)).text();
        if (!LIBRARY_CLASS.matcher(text).matches()) {
          return text;
        }
        java = java.isEmpty() ? text : java;
      }
    }
    if (!java.isEmpty()) {
      return java;
    }
    return frames.isEmpty() ? "no frame" : FrameText.of(frames.get(frames.size() - 1)).text();
  }

  /** Those that wait most inside work first; without those that don't. */
  List<Group> waiting() {
    return sorted(Comparator.comparingLong((Group group) -> -group.waitNanos), false);
  }

  /** Those that are idle most first; without those that never are. */
  List<Group> idle() {
    return sorted(Comparator.comparingLong((Group group) -> -group.idleNanos), true);
  }

  private List<Group> sorted(Comparator<Group> order, boolean areIdle) {
    List<Group> sorted = new ArrayList<>();
    for (Group group : groups.values()) {
      if ((areIdle ? group.idleNanos : group.waitNanos) > 0) {
        sorted.add(group);
      }
    }
    sorted.sort(order.thenComparing(group -> group.foldedName));
    return sorted;
  }

  /** The wall-clock time of all threads together, in ns. */
  long nanos() {
    return nanos;
  }

  long idleNanos() {
    return idleNanos;
  }

  /** All but idle waits, in ns. */
  long workNanos() {
    return nanos - idleNanos;
  }

  /** Waits inside work, in ns. */
  long waitNanos() {
    return waitNanos;
  }

  /** Without any frame, in ns. */
  long framelessNanos() {
    return framelessNanos;
  }

  /** With frames, of which the outermost are missing, in ns. */
  long cutNanos() {
    return cutNanos;
  }

  long waitingSamples() {
    return waitingSamples;
  }

  long cpuSamples() {
    return cpuSamples;
  }

  int threads() {
    int threads = 0;
    for (Group group : groups.values()) {
      threads += group.threads.size();
    }
    return threads;
  }
}
