package stackweave.lab.matrix;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import stackweave.lab.matrix.LinkCheck.JavaMethod;
import stackweave.lab.recording.PlainDefinitions;
import stackweave.lab.recording.PlainSamples;

/**
 * The events of one run, read with the JDK's own reader, so that it does not depend on the code
 * under test.
 */
final class Recorded {
  private static final int NATIVE = 0x100;

  /** A node of the tree of stacks. */
  record Frame(long parentId, long methodId, int kind, int offset) {}

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

  final Map<Long, Frame> frames = new HashMap<>();
  final Map<Long, Method> methods = new HashMap<>();
  final List<Sample> samples = new ArrayList<>();
  final List<Phase> phases = new ArrayList<>();
  final List<Status> statuses = new ArrayList<>();
  final Set<Integer> completeEnds = new HashSet<>();
  private final PlainDefinitions definitions = new PlainDefinitions();
  private final List<RecordedEvent> taken = new ArrayList<>();
  private final Map<Integer, String> kinds = new HashMap<>();
  private final Map<Integer, String> ends = new HashMap<>();
  String jvm = "";
  String engine = "";
  String note = "";
  long intervalNanos;

  static Recorded read(Path recording) throws IOException {
    Recorded recorded = new Recorded();
    try (RecordingFile file = new RecordingFile(recording)) {
      while (file.hasMoreEvents()) {
        recorded.add(file.readEvent());
      }
    }
    recorded.finish();
    return recorded;
  }

  String kind(int code) {
    return kinds.getOrDefault(code, "kind " + code);
  }

  String end(int code) {
    return ends.getOrDefault(code, "end " + code);
  }

  private void add(RecordedEvent event) {
    switch (event.getEventType().getName()) {
      case "stackweave.StackSample" -> taken.add(event);
      case PlainDefinitions.EVENT -> definitions.add(event);
      case "stackweave.Session" -> session(event);
      case "stackweave.SamplerStatus" -> status(event);
      case "samples.Phase" ->
          phases.add(new Phase(event.getString("phase"), event.getStartTime(), event.getEndTime()));
      default -> {
        // An event of the JDK or another tool.
      }
    }
  }

  /** All definitions are there. */
  private void finish() {
    definitions.frames.forEach(
        (id, frame) ->
            frames.put(
                id,
                new Frame(frame.parentId(), frame.methodId(), frame.kind(), (int) frame.offset())));
    definitions.methods.forEach((id, method) -> methods.put(id, method(method)));
    for (RecordedEvent event : taken) {
      int end = definitions.attributes.get(event.getLong("attributesId")).end();
      samples.add(new Sample(event.getStartTime(), event.getLong("stackId"), end));
    }
    taken.clear();
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

  private void session(RecordedEvent event) {
    jvm = event.getString("jdk");
    legend(event.getString("kindLegend"), kinds);
    legend(event.getString("endLegend"), ends);
    completeEnds.addAll(PlainSamples.completeEnds(event));
  }

  private static void legend(String legend, Map<Integer, String> labels) {
    for (String entry : legend.split(",")) {
      String[] sides = entry.strip().split("=", 2);
      labels.put(Integer.parseInt(sides[0]), sides[1]);
    }
  }

  private void status(RecordedEvent event) {
    engine = event.getString("engine");
    intervalNanos = event.getLong("interval");
    note = event.getString("note") == null ? "" : event.getString("note");
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
    statuses.add(new Status(event.getStartTime(), figures));
  }
}
