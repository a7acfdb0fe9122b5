package stackweave.live.waiting;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import stackweave.lab.recording.PlainDefinitions;
import stackweave.lab.recording.PlainSamples;
import stackweave.live.waiting.WaitingService.Work;

/**
 * What a recording says of the workers of {@link WaitingService}, read by the JDK's own reader and
 * by docs/events.md: nothing of the product's code has a part in it.
 */
final class WallRecording {
  private final PlainDefinitions definitions = new PlainDefinitions();
  private final Map<Work, Long> times = new EnumMap<>(Work.class);
  private long looks;
  private boolean endsEarly;

  private WallRecording() {}

  /** Reads a recording. */
  static WallRecording of(Path file) throws IOException {
    WallRecording recording = new WallRecording();
    List<RecordedEvent> samples = new ArrayList<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
      switch (event.getEventType().getName()) {
        case PlainDefinitions.EVENT -> recording.definitions.add(event);
        case "stackweave.StackSample", "stackweave.WallSample" -> samples.add(event);
        case "stackweave.SamplerStatus" -> {
          recording.looks += event.getLong("wallCaptured");
          recording.endsEarly |= PlainSamples.isOfEarlyEnd(event);
        }
        default -> {
          // Not of samples.
        }
      }
    }
    samples.forEach(recording::take);
    return recording;
  }

  private void take(RecordedEvent event) {
    PlainDefinitions.SampledThread thread = definitions.threads.get(event.getLong("threadId"));
    if (thread != null && thread.name().startsWith(WaitingService.WORKER)) {
      times.merge(workOf(event.getLong("stackId")), event.getLong("weight"), Long::sum);
    }
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

  /** The time of the workers by what they did, in ns. */
  Map<Work, Long> times() {
    return times;
  }

  /** Stacks of waiting threads that were read. */
  long looks() {
    return looks;
  }

  /** Whether the drain thread got no CPU for what it had when the JVM ended. */
  boolean endsEarly() {
    return endsEarly;
  }
}
