package stackweave.live.waiting;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.lab.recording.PlainDefinitions;
import stackweave.lab.recording.PlainRecording;
import stackweave.live.waiting.WaitingService.Work;

/**
 * What a recording says of the workers of {@link WaitingService}.
 *
 * @param times of the workers by what they did, in ns
 * @param looks stacks of waiting threads that were read
 * @param endsEarly whether the drain thread got no CPU for what it had when the JVM ended
 */
record WallRecording(Map<Work, Long> times, long looks, boolean endsEarly) {
  /** Reads a recording. */
  static WallRecording of(Path file) throws IOException {
    PlainRecording recording = PlainRecording.of(file);
    Map<Work, Long> times = new EnumMap<>(Work.class);
    recording.samples.forEach(event -> add(recording, event, times));
    recording.events("stackweave.WallSample").forEach(event -> add(recording, event, times));
    return new WallRecording(times, recording.sum("wallCaptured"), recording.endsEarly());
  }

  private static void add(PlainRecording recording, RecordedEvent event, Map<Work, Long> times) {
    PlainDefinitions.SampledThread thread = recording.threadOf(event);
    if (thread != null && thread.name().startsWith(WaitingService.WORKER)) {
      times.merge(workOf(recording, event), event.getLong("weight"), Long::sum);
    }
  }

  /** That of the method in the stack; without a stack a thread was mostly computing. */
  private static Work workOf(PlainRecording recording, RecordedEvent event) {
    for (PlainDefinitions.Frame frame : recording.frames(event)) {
      String method = recording.definitions.methods.get(frame.methodId()).name();
      for (Work work : Work.values()) {
        if (work.method().equals(method)) {
          return work;
        }
      }
    }
    return Work.COMPUTE;
  }
}
