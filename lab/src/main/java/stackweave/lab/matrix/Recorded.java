package stackweave.lab.matrix;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.lab.matrix.LinkCheck.JavaMethod;
import stackweave.lab.recording.PlainDefinitions;
import stackweave.lab.recording.PlainRecording;

/**
 * The events of one run, read with the JDK's own reader, so that it does not depend on the code
 * under test.
 */
final class Recorded {
  private static final int NATIVE = 0x100;

  /** A method or symbol; {@code java} is null for symbols and stubs. */
  record Method(String name, JavaMethod java) {}

  /** A sample of the moment {@code at}. */
  record Sample(Instant at, long stackId, int end) {}

  /** A phase of the run. */
  record Phase(String name, Instant begin, Instant end) {
    boolean contains(Instant at) {
      return !at.isBefore(begin) && at.isBefore(end);
    }
  }

  /** The sampler's status event at {@code at}: counts since the one before. */
  record Status(Instant at, Figures figures) {}

  final PlainRecording plain;
  final Map<Long, Method> methods = new HashMap<>();
  final List<Sample> samples;
  final List<Phase> phases;
  final List<Status> statuses;

  private Recorded(PlainRecording plain) {
    this.plain = plain;
    plain.definitions.methods.forEach((id, method) -> methods.put(id, method(method)));
    samples =
        plain.samples.stream()
            .map(
                each -> new Sample(each.getStartTime(), each.getLong("stackId"), plain.endOf(each)))
            .toList();
    phases =
        plain.events("samples.Phase").stream()
            .map(each -> new Phase(each.getString("phase"), each.getStartTime(), each.getEndTime()))
            .toList();
    statuses = plain.statuses.stream().map(Recorded::status).toList();
  }

  static Recorded read(Path recording) throws IOException {
    return new Recorded(PlainRecording.of(recording));
  }

  /** A node of the tree of stacks; null where it is not in the recording. */
  PlainDefinitions.Frame frame(long id) {
    return plain.definitions.frames.get(id);
  }

  String kind(PlainDefinitions.Frame frame) {
    return plain.kind(frame.kind());
  }

  long intervalNanos() {
    return plain.statuses.stream().map(each -> each.getLong("interval")).reduce(0L, (a, b) -> b);
  }

  private static Method method(PlainDefinitions.Method method) {
    String className = method.className();
    String name = method.name();
    if (className.isEmpty()) {
      return new Method(name, null);
    }
    boolean isNative = (method.modifiers() & NATIVE) != 0;
    JavaMethod java = new JavaMethod(className, name, method.descriptor(), isNative);
    return new Method(className + "." + name, java);
  }

  private static Status status(RecordedEvent event) {
    Figures figures =
        Figures.ofStatus(
            event.getLong("written"),
            event.getLong("lost"),
            event.getLong("dropped"),
            event.getLong("undecodable"),
            event.getLong("frames"),
            event.getLong("unwindTime"),
            event.getLong("cpuUsed") - event.getLong("cpuMissed"),
            event.getLong("cpuCovered"));
    return new Status(event.getStartTime(), figures);
  }
}
