package stackweave.lab.zoo;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import stackweave.lab.recording.PlainRecording;
import stackweave.lab.zoo.Stack.Frame;
import stackweave.lab.zoo.Stack.Kind;
import stackweave.lab.zoo.Stack.Outcome;

/** A recording that async-profiler made with {@code cstack=vmx}. */
final class AsyncRecording {
  private static final String EXECUTION_SAMPLE = "jdk.ExecutionSample";

  /** What its stacks begin with that have reached the thread's start. */
  private static final List<String> STARTS = List.of("start_thread", "clone", "clone3");

  /** A sample. */
  record Sample(Instant at, long osThreadId, Stack stack) {}

  private AsyncRecording() {}

  static List<Sample> samples(Path file, Category category) throws IOException {
    List<Sample> samples = new ArrayList<>();
    try (RecordingFile events = new RecordingFile(file)) {
      while (events.hasMoreEvents()) {
        RecordedEvent event = events.readEvent();
        if (event.getEventType().getName().equals(EXECUTION_SAMPLE)) {
          RecordedThread thread = event.getThread("sampledThread");
          if (thread != null
              && thread.getJavaName() != null
              && category.rounds().containsKey(thread.getJavaName())) {
            samples.add(
                new Sample(event.getStartTime(), thread.getOSThreadId(), stack(event, thread)));
          }
        }
      }
    }
    return samples;
  }

  private static Stack stack(RecordedEvent event, RecordedThread thread) {
    List<Frame> frames =
        event.getStackTrace().getFrames().stream().map(AsyncRecording::frame).toList();
    boolean complete = !frames.isEmpty() && STARTS.contains(frames.get(frames.size() - 1).name());
    return new Stack(
        thread.getJavaName(),
        frames,
        complete ? Outcome.COMPLETE : Outcome.EARLY,
        complete ? "complete" : "no thread start");
  }

  /** A function without a symbol has its library's path for its name; code in no library, none. */
  private static Frame frame(RecordedFrame frame) {
    RecordedMethod method = frame.getMethod();
    RecordedClass type = method.getType();
    String owner = type == null || type.getName() == null ? "" : type.getName();
    String name = method.getName() == null ? "" : method.getName();
    return switch (frame.getType()) {
      case "Native", "C++" -> {
        if (name.startsWith("/") || name.startsWith("[vdso]")) {
          yield Frame.ofCode(PlainRecording.fileName(name), "", Found.TABLES);
        }
        if (owner.isEmpty() && !name.equals("unknown")) {
          yield Frame.ofOther(Kind.STUB, name, Found.TABLES);
        }
        yield Frame.ofCode(
            PlainRecording.fileName(owner), name.equals("unknown") ? "" : name, Found.TABLES);
      }
      case "Kernel" -> Frame.ofOther(Kind.OTHER, name, Found.TABLES);
      default ->
          Frame.ofMethod(
              owner.replace('/', '.'),
              name,
              Modifier.isNative(method.getModifiers()),
              Found.TABLES);
    };
  }
}
