package stackweave.jfr.export.stall;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import stackweave.jfr.call.TimedMethods;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkReader;
import stackweave.jfr.chunk.EventConstants;
import stackweave.jfr.chunk.EventConstants.EventThread;
import stackweave.jfr.chunk.EventConstants.Frame;
import stackweave.jfr.chunk.EventShape;
import stackweave.jfr.export.Texts;
import stackweave.jfr.read.ChunkEvents;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.Sample;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.StackThread;

/**
 * What kept the JVM waiting in a recording, by the JVM's own events, and by the samples taken
 * meanwhile. The JVM records what is longer than the thresholds of the recording's settings.
 */
public final class Stalls implements ChunkEvents.Taker {
  /** Shorter safepoints are not compared with samples. */
  public static final long MIN_NANOS = 1_000_000;

  private static final String GC_LOCKER = "jdk.GCLocker";
  private static final String SAFEPOINT = "jdk.SafepointBegin";
  private static final int SAFEPOINTS = 0;
  private static final int CRITICAL = 1;
  private static final int COLLECTIONS = 2;

  /**
   * SafepointBegin covers SafepointStateSynchronization (SafepointSynchronize::begin in
   * safepoint.cpp, JDK 17 to 27), and is enabled where that one is not.
   */
  private static final List<EventShape> SHAPES =
      List.of(
          EventShape.of(SAFEPOINT, "startTime duration"),
          EventShape.of(GC_LOCKER, "startTime duration eventThread stackTrace stallCount"),
          EventShape.of("jdk.YoungGarbageCollection", "startTime"));

  private final List<Safepoint> safepoints = new ArrayList<>();
  private final List<CriticalSection> criticalSections = new ArrayList<>();
  private final TreeSet<Long> collections = new TreeSet<>();
  private boolean tellsCriticalSections;
  private boolean tellsSafepoints;

  // Of the present chunk.
  private final List<Critical> ofChunk = new ArrayList<>();

  private record Critical(long start, long end, long thread, long stack, long waiting) {}

  private Stalls() {}

  /**
   * Reads a recording; of a damaged chunk only what is before the damage.
   *
   * @param recording of one process; it is read again if there is something that its samples may
   *     explain
   * @throws RecordingException if the file can't be read any more; one line for users
   */
  public static Stalls of(SampledRecording recording) throws IOException, RecordingException {
    Stalls stalls = ofEvents(recording.file());
    boolean isLong = stalls.safepoints.stream().anyMatch(each -> each.nanos() >= MIN_NANOS);
    if (isLong || !stalls.criticalSections.isEmpty()) {
      recording.forEachSample(stalls::take);
    }
    return stalls;
  }

  /** Reads a recording without samples, so only the JVM's events. */
  public static Stalls ofEvents(Path file) throws IOException, RecordingException {
    Stalls stalls = new Stalls();
    ChunkEvents.read(file, SHAPES, stalls);
    stalls.safepoints.sort(Comparator.comparingLong(Safepoint::start));
    stalls.criticalSections.sort(Comparator.comparingLong(CriticalSection::start));
    stalls.addEnds();
    return stalls;
  }

  @Override
  public void begin(ChunkReader events) {
    tellsSafepoints |= events.knows(SAFEPOINTS);
    tellsCriticalSections |= events.knows(CRITICAL);
  }

  @Override
  public void take(int shape, ChunkReader event) {
    long start = event.nanosAt(event.number(0));
    if (shape == COLLECTIONS) {
      collections.add(start);
      return;
    }
    long end = Math.max(start, event.nanosAt(event.number(0) + event.number(1)));
    if (shape == SAFEPOINTS) {
      safepoints.add(new Safepoint(start, end));
    } else {
      ofChunk.add(new Critical(start, end, event.number(2), event.number(3), event.number(4)));
    }
  }

  @Override
  public void end(ChunkHeader chunk, EventConstants constants) {
    Map<Long, EventThread> names =
        constants.threads(ofChunk.stream().map(Critical::thread).collect(Collectors.toSet()));
    Map<Long, List<Frame>> traces =
        constants.stacks(ofChunk.stream().map(Critical::stack).collect(Collectors.toSet()));
    for (Critical each : ofChunk) {
      List<Frame> frames = traces.getOrDefault(each.stack(), List.of());
      String released =
          frames.isEmpty()
              ? ""
              : frames.get(0).className() + "." + TimedMethods.ownName(frames.get(0).method());
      criticalSections.add(
          new CriticalSection(
              each.start(),
              each.end(),
              names.getOrDefault(each.thread(), EventThread.UNKNOWN),
              released,
              each.waiting()));
    }
    ofChunk.clear();
  }

  /**
   * GCLocker of JDK 21 has no duration (and so is written with a threshold of 0 alone): the
   * collector waits until it collects, as the last thread leaves its critical section.
   */
  private void addEnds() {
    for (int i = 0; i < criticalSections.size(); i++) {
      CriticalSection section = criticalSections.get(i);
      boolean isLast = i + 1 == criticalSections.size();
      long next = isLast ? Long.MAX_VALUE : criticalSections.get(i + 1).start();
      Long end = collections.ceiling(section.start());
      if (section.nanos() == 0 && end != null && end <= next) {
        criticalSections.set(i, section.with(end, section.method()));
      }
    }
  }

  private void take(Sample sample) {
    long nanos = Texts.nanos(sample.time());
    int at = lastBegun(safepoints, Safepoint::start, nanos);
    Safepoint safepoint = at < 0 ? null : safepoints.get(at);
    if (safepoint != null
        && nanos <= safepoint.end()
        && nanos >= safepoint.seen()
        && safepoint.nanos() >= MIN_NANOS) {
      String place = ThreadPosition.late(sample.frames());
      if (!place.isEmpty()) {
        String thread = sample.thread().text();
        safepoints.set(at, new Safepoint(safepoint.start(), safepoint.end(), nanos, thread, place));
      }
    }
    at = lastBegun(criticalSections, CriticalSection::start, nanos);
    CriticalSection section = at < 0 ? null : criticalSections.get(at);
    if (section != null && nanos <= section.end() && isSame(sample.thread(), section.thread())) {
      String method = ThreadPosition.nativeMethod(sample.frames());
      if (!method.isEmpty()) {
        criticalSections.set(at, section.with(section.end(), method));
      }
    }
  }

  private static boolean isSame(StackThread sampled, EventThread thread) {
    return thread.javaId() != 0
        ? sampled.javaId() == thread.javaId()
        : thread.osId() != 0 && sampled.osThreadId() == thread.osId();
  }

  /** Index of the last one that began by a time, since those of a process do not overlap; or -1. */
  private static <T> int lastBegun(List<T> all, ToLongFunction<T> start, long nanos) {
    int low = 0;
    int high = all.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (start.applyAsLong(all.get(middle)) > nanos) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low - 1;
  }

  /** The safepoints, in the order of time. */
  public List<Safepoint> safepoints() {
    return List.copyOf(safepoints);
  }

  /** The critical sections, in the order of time. */
  public List<CriticalSection> criticalSections() {
    return List.copyOf(criticalSections);
  }

  /** Whether this JVM has an event of safepoints. */
  public boolean tellsSafepoints() {
    return tellsSafepoints;
  }

  /** Whether this JVM has an event of JNI critical sections. */
  public boolean tellsCriticalSections() {
    return tellsCriticalSections;
  }
}
