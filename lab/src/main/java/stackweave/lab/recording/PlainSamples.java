package stackweave.lab.recording;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.lab.recording.PlainDefinitions.Attributes;
import stackweave.lab.recording.PlainDefinitions.Frame;

/**
 * The samples of a recording of one session with their definitions, read as docs/events.md says.
 * Definitions need not come before the samples: ask when all events were added. Not thread-safe.
 */
public final class PlainSamples {
  private static final String SESSION = "stackweave.Session";
  private static final String SAMPLE = "stackweave.StackSample";
  private static final String LATE = "the JVM ended before the last samples were written";

  public final PlainDefinitions definitions = new PlainDefinitions();
  public final List<RecordedEvent> samples = new ArrayList<>();
  private final Set<Integer> completeEnds = new HashSet<>();

  /** Takes an event, of whatever type. */
  public void add(RecordedEvent event) {
    switch (event.getEventType().getName()) {
      case SESSION -> completeEnds.addAll(completeEnds(event));
      case PlainDefinitions.EVENT -> definitions.add(event);
      case SAMPLE -> samples.add(event);
      default -> {
        // Not of the stacks.
      }
    }
  }

  /** The codes of the ends of stacks that reach their thread's first frame, of a session event. */
  public static List<Integer> completeEnds(RecordedEvent session) {
    return Arrays.stream(session.getString("completeEnds").split(","))
        .map(code -> Integer.valueOf(code.strip()))
        .toList();
  }

  /** Whether a status event says that the drain thread got no CPU for what it had at the end. */
  public static boolean isOfEarlyEnd(RecordedEvent status) {
    return status.getString("note").contains(LATE);
  }

  /** Whether a sample's stack reaches its thread's first frame. */
  public boolean isComplete(RecordedEvent sample) {
    Attributes attributes = definitions.attributes.get(sample.getLong("attributesId"));
    return completeEnds.contains(attributes.end());
  }

  /** A sample's frames, the innermost first. */
  public List<Frame> frames(RecordedEvent sample) {
    List<Frame> frames = new ArrayList<>();
    for (long id = sample.getLong("stackId");
        id != 0;
        id = frames.get(frames.size() - 1).parentId()) {
      frames.add(definitions.frames.get(id));
    }
    return frames;
  }
}
