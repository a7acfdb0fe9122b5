package stackweave.lab.overhead;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import stackweave.lab.recording.PlainSamples;

/**
 * The contents of a profiler's recording.
 *
 * @param samples of the workers between two moments
 * @param complete those of them that reach the first frame of their thread; for {@link
 *     WindowKind#ASYNC}, which shows nothing below Java, the first frame of Java
 * @param frames of their stacks
 * @param bytes of the whole file
 */
record Recorded(long samples, long complete, long frames, long bytes) {
  static final Recorded NOTHING = new Recorded(0, 0, 0, 0);

  /** Where threads of C begin: the functions of the C library below the thread's own one. */
  private static final Set<String> THREAD_ENTRIES =
      Set.of("clone", "__clone", "clone3", "__clone3", "start_thread", "_start");

  static Recorded read(WindowKind kind, Path file, long beginNanos, long endNanos)
      throws IOException {
    Counter counter = new Counter(instant(beginNanos), instant(endNanos));
    try (RecordingFile recording = new RecordingFile(file)) {
      PlainSamples own = new PlainSamples();
      while (recording.hasMoreEvents()) {
        RecordedEvent event = recording.readEvent();
        if (kind == WindowKind.STACKWEAVE) {
          own.add(event);
        } else if (event.getEventType().getName().equals("jdk.ExecutionSample")
            && isOfWorker(event)) {
          List<RecordedFrame> frames = event.getStackTrace().getFrames();
          counter.count(event.getStartTime(), reachesRoot(kind, frames), frames.size());
        }
      }
      countOwn(own, counter);
    }
    return new Recorded(counter.samples, counter.complete, counter.frames, Files.size(file));
  }

  private static void countOwn(PlainSamples own, Counter counter) {
    for (RecordedEvent sample : own.samples) {
      if (own.definitions.threads.get(sample.getLong("threadId")).name().startsWith(Worker.NAME)) {
        counter.count(sample.getStartTime(), own.isComplete(sample), own.frames(sample).size());
      }
    }
  }

  private static boolean isOfWorker(RecordedEvent event) {
    RecordedThread thread = event.getThread("sampledThread");
    return thread != null
        && thread.getJavaName() != null
        && thread.getJavaName().startsWith(Worker.NAME);
  }

  private static boolean reachesRoot(WindowKind kind, List<RecordedFrame> frames) {
    if (frames.isEmpty()) {
      return false;
    }
    RecordedFrame root = frames.get(frames.size() - 1);
    String method = root.getMethod().getName();
    return THREAD_ENTRIES.contains(method)
        || (kind == WindowKind.ASYNC
            && root.getMethod().getType().getName().equals("java.lang.Thread")
            && method.startsWith("run"));
  }

  private static Instant instant(long nanos) {
    return Instant.ofEpochSecond(nanos / 1_000_000_000L, nanos % 1_000_000_000L);
  }

  Recorded plus(Recorded other) {
    return new Recorded(
        samples + other.samples,
        complete + other.complete,
        frames + other.frames,
        bytes + other.bytes);
  }

  private static final class Counter {
    private final Instant begin;
    private final Instant end;
    private long samples;
    private long complete;
    private long frames;

    Counter(Instant begin, Instant end) {
      this.begin = begin;
      this.end = end;
    }

    void count(Instant time, boolean isComplete, int depth) {
      if (time.isBefore(begin) || time.isAfter(end)) {
        return;
      }
      samples++;
      complete += isComplete ? 1 : 0;
      frames += depth;
    }
  }
}
