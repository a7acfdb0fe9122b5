package stackweave.live.outside;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.lab.recording.PlainDefinitions.Frame;
import stackweave.lab.recording.PlainDefinitions.Method;
import stackweave.lab.recording.PlainDefinitions.SampledThread;
import stackweave.lab.recording.PlainRecording;

/**
 * Samples of the same events of a JVM in two recordings, one taken in it and one from outside.
 * Samples of a thread that are nearest to each other are a pair, if they are less than {@link
 * #MAX_NANOS} apart.
 */
final class Pairs {
  private static final long MAX_NANOS = 50_000;

  private static final String TRUNCATED = "truncated";
  private static final String KERNEL = "kernel ";
  private static final String NATIVE = "native ";

  /** One of the two samples. */
  private record Taken(long nanos, RecordedEvent event) {}

  private final PlainRecording inside;
  private final PlainRecording outside;
  private final Map<String, Integer> differences = new TreeMap<>();
  private final List<String> examples = new ArrayList<>();
  int pairs;
  int equal;

  /** Pairs of which one stack is cut where its copy ended: no pairs to compare. */
  int truncated;

  long farthestNanos;

  Pairs(PlainRecording inside, PlainRecording outside) {
    this.inside = inside;
    this.outside = outside;
    Map<Long, List<Taken>> insideByThread = byThread(inside);
    byThread(outside).forEach((tid, samples) -> pair(insideByThread.get(tid), samples));
  }

  private static Map<Long, List<Taken>> byThread(PlainRecording recording) {
    Map<Long, List<Taken>> byThread = new HashMap<>();
    for (RecordedEvent event : recording.events) {
      String type = event.getEventType().getName();
      SampledThread thread =
          type.equals("stackweave.StackSample") || type.equals("stackweave.EventSample")
              ? recording.threadOf(event)
              : null;
      if (thread != null) {
        long nanos =
            event.getStartTime().getEpochSecond() * 1_000_000_000L + event.getStartTime().getNano();
        byThread
            .computeIfAbsent(thread.osThreadId(), id -> new ArrayList<>())
            .add(new Taken(nanos, event));
      }
    }
    byThread.values().forEach(each -> each.sort(Comparator.comparingLong(Taken::nanos)));
    return byThread;
  }

  private void pair(List<Taken> insides, List<Taken> outsides) {
    if (insides == null) {
      return;
    }
    for (int i = 0; i < outsides.size(); i++) {
      Taken from = outsides.get(i);
      Taken to = insides.get(nearest(insides, from.nanos()));
      long apart = Math.abs(to.nanos() - from.nanos());
      if (apart <= MAX_NANOS && nearest(outsides, to.nanos()) == i) {
        farthestNanos = Math.max(farthestNanos, apart);
        compare(to.event(), from.event());
      }
    }
  }

  private static int nearest(List<Taken> samples, long nanos) {
    int low = 0;
    int high = samples.size() - 1;
    while (low < high) {
      int middle = (low + high) / 2;
      if (samples.get(middle).nanos() < nanos) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    boolean before =
        low > 0 && nanos - samples.get(low - 1).nanos() < samples.get(low).nanos() - nanos;
    return before ? low - 1 : low;
  }

  private void compare(RecordedEvent in, RecordedEvent out) {
    List<String> insideFrames = frames(inside, in);
    List<String> outsideFrames = frames(outside, out);
    String insideTop = top(insideFrames);
    String outsideTop = top(outsideFrames);
    boolean areOfOneMoment =
        !insideTop.startsWith(NATIVE)
            || !outsideTop.startsWith(NATIVE)
            || insideTop.equals(outsideTop);
    if (!areOfOneMoment) {
      return; // of one moment's two events each recording has another one
    }
    if (insideFrames.get(0).equals(TRUNCATED) != outsideFrames.get(0).equals(TRUNCATED)) {
      truncated++;
      return;
    }
    pairs++;
    if (insideFrames.equals(outsideFrames)) {
      equal++;
    } else {
      different(insideFrames, outsideFrames);
    }
  }

  /** The innermost frame that is not the kernel's; empty for none. */
  private static String top(List<String> frames) {
    return frames.stream().skip(1).filter(each -> !each.startsWith(KERNEL)).findFirst().orElse("");
  }

  /** Counts a difference by the outermost frames that differ. */
  private void different(List<String> insideFrames, List<String> outsideFrames) {
    int in = insideFrames.size() - 1;
    int out = outsideFrames.size() - 1;
    while (in > 0 && out > 0 && insideFrames.get(in).equals(outsideFrames.get(out))) {
      in--;
      out--;
    }
    String difference = insideFrames.get(in) + " | " + outsideFrames.get(out);
    if (differences.merge(difference, 1, Integer::sum) == 1) {
      examples.add(difference + "\n  inside " + insideFrames + "\n  outside " + outsideFrames);
    }
  }

  /** How the stack ends, then its frames, the innermost first. */
  private static List<String> frames(PlainRecording recording, RecordedEvent event) {
    List<String> texts = new ArrayList<>();
    int end = event.hasField("end") ? event.getInt("end") : recording.endOf(event);
    texts.add(recording.end(end));
    for (Frame frame : recording.frames(event)) {
      Method method = recording.definitions.methods.get(frame.methodId());
      texts.add(
          recording.kind(frame.kind())
              + " "
              + recording.moduleOf(method)
              + " "
              + method.className()
              + "."
              + method.name()
              + method.descriptor()
              + ":"
              + frame.line()
              + "+"
              + frame.offset());
    }
    return texts;
  }

  /** The share of pairs whose stacks are equal. */
  double share() {
    return pairs == 0 ? 0 : (double) equal / pairs;
  }

  /** The first stacks of each difference. */
  List<String> examples() {
    return examples;
  }

  @Override
  public String toString() {
    return "%d pairs, %d equal (%.3f %%), %d cut, at most %d µs apart%n%s"
        .formatted(pairs, equal, 100 * share(), truncated, farthestNanos / 1000, differences);
  }
}
