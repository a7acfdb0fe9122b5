package stackweave.jfr.export.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkReader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.chunk.ClassNames;
import stackweave.jfr.chunk.EventShape;
import stackweave.jfr.read.ChunkList;
import stackweave.jfr.read.RecordingException;

/**
 * Which classes of objects threads waited for, by the JDK's own events of monitors and of
 * LockSupport.park. Only the JVM knows the object; our samples don't read the heap. These events
 * are above the threshold of the recording's settings (20 ms in the JDK's default.jfc). Stateless.
 */
final class LockWaits {
  /**
   * What threads without work park on: pools wait for tasks by them, and the class says nothing of
   * who has what they wait for.
   */
  private static final Pattern QUEUES =
      Pattern.compile(
          ".*[$]ConditionObject|java[.]util[.]concurrent[.](ForkJoinPool|SynchronousQueue"
              + "|LinkedTransferQueue|Exchanger)\\b.*");

  private static final int DURATION = 0;
  private static final int CLASS = 1;

  /** In the order of {@link Kind}. */
  private static final List<EventShape> SHAPES =
      List.of(
          EventShape.of("jdk.JavaMonitorEnter", "duration monitorClass"),
          EventShape.of("jdk.JavaMonitorWait", "duration monitorClass"),
          EventShape.of("jdk.ThreadPark", "duration parkedClass"));

  /** What the events are of. The labels are those of the states of threads. */
  enum Kind {
    MONITOR("monitor"),
    OBJECT_WAIT("Object.wait"),
    PARK("park");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    String label() {
      return label;
    }
  }

  /** A class of objects that threads waited for in one way. */
  record Lock(Kind kind, String className) {
    /** Whether who waits has probably no work. */
    boolean isQueue() {
      return kind == Kind.PARK && QUEUES.matcher(className).matches();
    }
  }

  /** How often, and how long in ns. */
  static final class Sum {
    private long waits;
    private long nanos;

    private void add(long moreWaits, long moreNanos) {
      waits += moreWaits;
      nanos += moreNanos;
    }

    long waits() {
      return waits;
    }

    long nanos() {
      return nanos;
    }
  }

  private LockWaits() {}

  /**
   * Reads a recording; of a damaged chunk what is before the damage.
   *
   * @return the longest first
   */
  static List<Map.Entry<Lock, Sum>> read(Path file) throws IOException {
    Map<Lock, Sum> sums = new HashMap<>();
    try (ChunkSource source = new ChunkSource(file)) {
      for (ChunkHeader header : ChunkList.scan(file).chunks()) {
        read(source, header, sums);
      }
    } catch (RecordingException e) {
      return List.of(); // who asks has read the file before
    }
    List<Map.Entry<Lock, Sum>> sorted = new ArrayList<>(sums.entrySet());
    sorted.sort(
        Comparator.comparing((Map.Entry<Lock, Sum> each) -> -each.getValue().nanos)
            .thenComparing(each -> each.getKey().className())
            .thenComparing(each -> each.getKey().kind()));
    return sorted;
  }

  private static void read(ChunkSource source, ChunkHeader header, Map<Lock, Sum> sums) {
    List<Map<Long, Sum>> byClass = new ArrayList<>();
    for (int i = 0; i < SHAPES.size(); i++) {
      byClass.add(new HashMap<>());
    }
    try {
      ChunkReader events = new ChunkReader(source, header, SHAPES);
      for (int shape = events.next(); shape >= 0; shape = events.next()) {
        byClass
            .get(shape)
            .computeIfAbsent(events.number(CLASS), key -> new Sum())
            .add(1, nanos(header, events.number(DURATION)));
      }
    } catch (IOException e) {
      // What was read stands.
    }
    Map<Long, String> names = names(source, header, byClass);
    for (Kind kind : Kind.values()) {
      byClass
          .get(kind.ordinal())
          .forEach(
              (key, sum) -> {
                Lock lock = new Lock(kind, names.getOrDefault(key, ""));
                sums.computeIfAbsent(lock, each -> new Sum()).add(sum.waits, sum.nanos);
              });
    }
  }

  private static Map<Long, String> names(
      ChunkSource source, ChunkHeader header, List<Map<Long, Sum>> byClass) {
    Map<Long, Sum> all = new HashMap<>();
    byClass.forEach(all::putAll);
    if (all.isEmpty()) {
      return Collections.emptyMap();
    }
    try {
      return ClassNames.read(source, header, all.keySet());
    } catch (IOException e) {
      return Collections.emptyMap(); // the times stand, without a name
    }
  }

  private static long nanos(ChunkHeader header, long ticks) {
    return Math.max(0, header.nanosAt(header.startTicks() + ticks) - header.startNanos());
  }
}
