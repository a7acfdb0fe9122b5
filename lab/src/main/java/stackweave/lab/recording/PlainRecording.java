package stackweave.lab.recording;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.lab.recording.PlainDefinitions.Attributes;
import stackweave.lab.recording.PlainDefinitions.Frame;
import stackweave.lab.recording.PlainDefinitions.Library;
import stackweave.lab.recording.PlainDefinitions.Method;
import stackweave.lab.recording.PlainDefinitions.SampledThread;
import stackweave.testing.EventsByTime;

/**
 * A recording of one session, put together from its events by the JDK's own reader, by
 * docs/events.md and by what the events say of themselves (legends and all): nothing of the
 * product's code has a part in it.
 */
public final class PlainRecording {
  private static final String LATE = "the JVM ended before the last samples were written";

  public final PlainDefinitions definitions = new PlainDefinitions();

  /** All events, by time. */
  public final List<RecordedEvent> events;

  /** Those of the threads that ran. */
  public final List<RecordedEvent> samples = new ArrayList<>();

  /** What the sampler says of itself, each since the one before. */
  public final List<RecordedEvent> statuses = new ArrayList<>();

  private final Map<Integer, String> kinds = new HashMap<>();
  private final Map<Integer, String> ends = new HashMap<>();
  private final Map<Integer, String> states = new HashMap<>();
  private final Map<Integer, String> ways = new HashMap<>();
  private final Set<Integer> guesses = new HashSet<>();
  private final Set<Integer> completeEnds = new HashSet<>();
  private String jvm = "";

  private PlainRecording(List<RecordedEvent> events) {
    this.events = events;
    for (RecordedEvent event : events) {
      switch (event.getEventType().getName()) {
        case "stackweave.Session" -> session(event);
        case PlainDefinitions.EVENT -> definitions.add(event);
        case "stackweave.StackSample" -> samples.add(event);
        case "stackweave.SamplerStatus" -> statuses.add(event);
        default -> {
          // Of another kind, which who wants it finds among all events.
        }
      }
    }
  }

  /** Reads a whole recording. */
  public static PlainRecording of(Path recording) throws IOException {
    return new PlainRecording(EventsByTime.of(recording));
  }

  private void session(RecordedEvent event) {
    jvm = event.getString("jdk").strip();
    legend(event.getString("kindLegend"), kinds);
    legend(event.getString("endLegend"), ends);
    legend(event.getString("stateLegend"), states);
    legend(event.getString("foundLegend"), ways);
    codes(event.getString("guesses"), guesses);
    codes(event.getString("completeEnds"), completeEnds);
  }

  private static void legend(String legend, Map<Integer, String> labels) {
    for (String entry : legend.split(",")) {
      String[] sides = entry.strip().split("=", 2);
      labels.put(Integer.parseInt(sides[0]), sides[1]);
    }
  }

  private static void codes(String list, Set<Integer> codes) {
    for (String code : list.split(",")) {
      codes.add(Integer.valueOf(code.strip()));
    }
  }

  /** Those of a name. */
  public List<RecordedEvent> events(String name) {
    return events.stream().filter(each -> each.getEventType().getName().equals(name)).toList();
  }

  /** Name and version of the JVM. */
  public String jvm() {
    return jvm;
  }

  public String kind(int code) {
    return kinds.getOrDefault(code, "code " + code);
  }

  public String end(int code) {
    return ends.getOrDefault(code, "code " + code);
  }

  public String state(int code) {
    return states.getOrDefault(code, "code " + code);
  }

  /** How a frame was found from its callee. */
  public String found(int code) {
    return ways.getOrDefault(code, "code " + code);
  }

  /** Whether a frame that was found so may be wrong. */
  public boolean isGuess(int found) {
    return guesses.contains(found);
  }

  /** Whether a stack that ends so reaches its thread's first frame. */
  public boolean isComplete(int end) {
    return completeEnds.contains(end);
  }

  /** The code of a sample's end; −1 where its definition is missing, as after a crash. */
  public int endOf(RecordedEvent sample) {
    Attributes attributes = definitions.attributes.get(sample.getLong("attributesId"));
    return attributes == null ? -1 : attributes.end();
  }

  /** Whether a sample's stack reaches its thread's first frame. */
  public boolean isComplete(RecordedEvent sample) {
    return isComplete(endOf(sample));
  }

  /** An event's thread; null where its definition is missing. */
  public SampledThread threadOf(RecordedEvent event) {
    return definitions.threads.get(event.getLong("threadId"));
  }

  /** An event's frames, the innermost first, to the first that is not in the recording. */
  public List<Frame> frames(RecordedEvent event) {
    List<Frame> frames = new ArrayList<>();
    for (Frame frame = definitions.frames.get(event.getLong("stackId"));
        frame != null && definitions.methods.containsKey(frame.methodId());
        frame = definitions.frames.get(frame.parentId())) {
      frames.add(frame);
    }
    return frames;
  }

  /** The file name of what a method is in, without that the file was deleted; empty for none. */
  public String moduleOf(Method method) {
    Library library = definitions.libraries.get(method.libraryId());
    return library == null ? "" : fileName(library.path());
  }

  /** A path's last part, without the kernel's remark that the file was deleted. */
  public static String fileName(String path) {
    return path.substring(path.lastIndexOf('/') + 1).replaceFirst(" \\(deleted\\)$", "");
  }

  /** The sum of a figure of the sampler. */
  public long sum(String field) {
    return statuses.stream().mapToLong(status -> status.getLong(field)).sum();
  }

  /** The engine that sampled last. */
  public String engine() {
    return statuses.stream()
        .map(status -> status.getString("engine"))
        .filter(engine -> !engine.isEmpty())
        .reduce("none", (a, b) -> b);
  }

  /** The sampler's last note that was not empty. */
  public String note() {
    return statuses.stream()
        .map(status -> status.getString("note"))
        .filter(note -> !note.isEmpty())
        .reduce("", (a, b) -> b);
  }

  /** Whether the drain thread got no CPU for what it had when the JVM ended. */
  public boolean endsEarly() {
    return statuses.stream().anyMatch(status -> status.getString("note").contains(LATE));
  }
}
