package stackweave.lab.wall;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import stackweave.lab.recording.PlainDefinitions;
import stackweave.lab.recording.PlainSamples;
import stackweave.lab.wall.WaitingService.Work;

/**
 * What a recording says of the workers of {@link WaitingService} and of its own cost, read by the
 * JDK's own reader and by docs/events.md: nothing of the product's code has a part in it.
 */
public final class WallRecording {
  private static final String SAMPLE = "stackweave.StackSample";
  private static final String WALL = "stackweave.WallSample";
  private static final String STATUS = "stackweave.SamplerStatus";

  /** In the first seconds nothing is warm; the cost after them is that of a service. */
  private static final Duration WARM_UP = Duration.ofSeconds(10);

  /** What is counted of looks, in the order of {@link #counts}. */
  private static final List<String> COUNTS = List.of("wallCaptured", "wallUnread", "wallDropped");

  private final PlainDefinitions definitions = new PlainDefinitions();
  private final Map<Work, Long> times = new EnumMap<>(Work.class);
  private final Map<String, Long> counts = new HashMap<>();
  private long onCpu;
  private long runnable;
  private long blocked;
  private long costNanos;
  private long costOf;
  private long threads;
  private boolean endsEarly;

  private WallRecording() {}

  /** Reads a recording. */
  public static WallRecording of(Path file) throws IOException {
    WallRecording recording = new WallRecording();
    List<RecordedEvent> samples = new ArrayList<>();
    List<RecordedEvent> states = new ArrayList<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
      switch (event.getEventType().getName()) {
        case PlainDefinitions.EVENT -> recording.definitions.add(event);
        case SAMPLE, WALL -> samples.add(event);
        case STATUS -> states.add(event);
        default -> {
          // Not of samples.
        }
      }
    }
    samples.forEach(recording::take);
    states.sort((a, b) -> a.getStartTime().compareTo(b.getStartTime()));
    recording.takeStates(states);
    return recording;
  }

  private void take(RecordedEvent event) {
    PlainDefinitions.SampledThread thread = definitions.threads.get(event.getLong("threadId"));
    if (thread == null || !thread.name().startsWith(WaitingService.WORKER)) {
      return;
    }
    long weight = event.getLong("weight");
    if (event.getEventType().getName().equals(SAMPLE)) {
      onCpu += weight;
    } else if (event.getInt("state") == 1) {
      runnable += weight;
    } else {
      blocked += weight;
    }
    times.merge(workOf(event.getLong("stackId")), weight, Long::sum);
  }

  /** That of the method in the stack; without a stack a thread was mostly computing. */
  private Work workOf(long stack) {
    for (long id = stack; id != 0; ) {
      PlainDefinitions.Frame frame = definitions.frames.get(id);
      String method = definitions.methods.get(frame.methodId()).name();
      for (Work work : Work.values()) {
        if (work.method().equals(method)) {
          return work;
        }
      }
      id = frame.parentId();
    }
    return Work.COMPUTE;
  }

  private void takeStates(List<RecordedEvent> states) {
    Instant begin = null;
    Instant last = null;
    for (RecordedEvent state : states) {
      COUNTS.forEach(name -> counts.merge(name, state.getLong(name), Long::sum));
      threads = Math.max(threads, state.getLong("wallThreads"));
      endsEarly |= PlainSamples.isOfEarlyEnd(state);
      if (begin == null && state.getLong("wallThreads") > 0) {
        begin = state.getStartTime();
      }
      if (begin != null && state.getStartTime().isAfter(begin.plus(WARM_UP))) {
        if (last != null) {
          costNanos += state.getLong("wallCpu");
          costOf += Duration.between(last, state.getStartTime()).toNanos();
        }
        last = state.getStartTime();
      }
    }
  }

  /** The time of the workers by what they did, in ns. */
  public Map<Work, Long> times() {
    return times;
  }

  /** The workers' CPU time, in ns. */
  public long onCpu() {
    return onCpu;
  }

  /** How long workers waited for a CPU, in ns. */
  public long runnable() {
    return runnable;
  }

  /** How long workers were blocked, in ns. */
  public long blocked() {
    return blocked;
  }

  /** Whether the drain thread got no CPU for what it had when the JVM ended. */
  public boolean endsEarly() {
    return endsEarly;
  }

  /** Sums of the status events, by field. */
  public Map<String, Long> counts() {
    return counts;
  }

  /** How many threads were looked at, at most. */
  public long threads() {
    return threads;
  }

  /** The cost of the looks once they are warm, in percent of a core; NaN of a short recording. */
  public double costPercent() {
    return costOf == 0 ? Double.NaN : 100.0 * costNanos / costOf;
  }
}
