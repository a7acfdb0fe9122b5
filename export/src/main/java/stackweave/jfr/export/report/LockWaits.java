package stackweave.jfr.export.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkReader;
import stackweave.jfr.chunk.EventConstants;
import stackweave.jfr.chunk.EventShape;
import stackweave.jfr.read.ChunkEvents;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.choice.JdkEvent;

/**
 * The classes of the objects for which threads waited, by the JDK's events of monitors and of
 * LockSupport.park: the agent does not read the heap. The JDK records only waits above the
 * threshold of the recording's settings (20 ms in the JDK's default.jfc).
 */
final class LockWaits implements ChunkEvents.Taker {
  private static final int PARK = 2;

  private static final List<EventShape> SHAPES =
      List.of(
          EventShape.of("jdk.JavaMonitorEnter", "duration monitorClass"),
          EventShape.of("jdk.JavaMonitorWait", "duration monitorClass"),
          EventShape.of("jdk.ThreadPark", "duration parkedClass"));

  /** Labels of the threads' states in these events. */
  private static final List<String> LABELS = List.of("monitor", "Object.wait", "park");

  private record Key(int shape, long classKey) {}

  private final Map<Key, Sums.Sum> ofChunk = new HashMap<>();

  /** The waits by kind and class of the object, whose name is empty if there is none. */
  final Sums<String> waits = new Sums<>();

  /** The waits of threads that probably have no work. */
  final Sums<String> queues = new Sums<>();

  private LockWaits() {}

  /** Reads a recording that was read before. */
  static LockWaits read(Path file) throws IOException, RecordingException {
    LockWaits all = new LockWaits();
    ChunkEvents.read(file, SHAPES, all);
    return all;
  }

  @Override
  public void take(int shape, ChunkReader event) {
    ofChunk
        .computeIfAbsent(new Key(shape, event.number(1)), key -> new Sums.Sum(""))
        .add(1, Math.max(0, event.nanosOf(event.number(0))));
  }

  @Override
  public void end(ChunkHeader chunk, EventConstants constants) {
    Set<Long> classes = new HashSet<>();
    ofChunk.keySet().forEach(key -> classes.add(key.classKey));
    Map<Long, String> names = constants.classNames(classes);
    ofChunk.forEach(
        (key, sum) -> {
          String name = names.getOrDefault(key.classKey, "");
          boolean isQueue = key.shape == PARK && JdkEvent.isQueue(name);
          (isQueue ? queues : waits)
              .of(LABELS.get(key.shape) + ": " + name)
              .add(sum.count, sum.nanos);
        });
    ofChunk.clear();
  }
}
