package stackweave.jfr.export.report;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.stream.Collectors;
import stackweave.jfr.call.NativeCall;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkReader;
import stackweave.jfr.chunk.EventConstants;
import stackweave.jfr.chunk.EventConstants.EventThread;
import stackweave.jfr.chunk.EventConstants.Frame;
import stackweave.jfr.chunk.EventShape;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.export.Names;
import stackweave.jfr.read.ChunkEvents;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.Sample;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.StackThread;

/**
 * The longest of the slow native calls of a recording, each with its callers and with what the
 * samples say that its thread got meanwhile. Not thread-safe.
 */
final class SlowCalls implements ChunkEvents.Taker {
  /** Callers that are kept of a stack. */
  private static final int MAX_CALLERS = 3;

  /** Of the frames between the method and the event; see CallHook in the agent. */
  private static final List<String> OWN_CLASSES =
      List.of("stackweave.jfr.call.", "java.lang.StackweaveNativeCalls");

  private static final List<EventShape> SHAPES =
      List.of(
          EventShape.of(
              NativeCall.NAME, "startTime duration eventThread stackTrace method descriptor"));

  private static final Comparator<Call> BY_TIME =
      Comparator.comparingLong(Call::nanos).thenComparing(Call::start);

  /**
   * A slow call. Its thread and callers are known when its chunk was read, samples later.
   *
   * @param own its thread
   * @param callers the innermost first, without the method itself
   * @param places what the samples of its thread during the call were in, by their number
   */
  record Call(
      String method,
      String descriptor,
      Instant start,
      Instant end,
      long nanos,
      EventThread own,
      List<String> callers,
      Sums<String> places) {
    String thread() {
      return own.name().isEmpty() ? "thread " + own.javaId() : Names.printable(own.name());
    }

    /** Samples of the thread during the call, with the method in their stack. */
    long samples() {
      return places.sum().count;
    }

    /**
     * Whether a sample shows the call: by thread and time, and by its stack, since the time of a
     * sample of a waiting thread may be a moment after the wait.
     */
    private boolean has(Sample sample) {
      StackThread thread = sample.thread();
      boolean isOwn = own.osId() <= 0 || thread.isVirtual() || thread.osThreadId() == own.osId();
      return own.javaId() != 0
          && own.javaId() == thread.javaId()
          && isOwn
          && !sample.time().isBefore(start)
          && !sample.time().isAfter(end)
          && sample.frames().stream().anyMatch(frame -> frame.text().equals(method));
    }

    private void add(Sample sample) {
      String inner = sample.frames().get(sample.frames().size() - 1).text();
      String state = sample.state();
      places.of(ThreadState.isBlocked(state) ? state + ": " + inner : inner).add(1, 0);
    }
  }

  /** A call whose thread and stack are known by their keys in its chunk alone. */
  private record Raw(
      long start, long end, long thread, long stack, String method, String descriptor) {
    long nanos() {
      return end - start;
    }
  }

  private final PriorityQueue<Call> longest = new PriorityQueue<>(BY_TIME);
  private final PriorityQueue<Raw> ofChunk =
      new PriorityQueue<>(Comparator.comparingLong(Raw::nanos).thenComparing(Raw::start));

  private final int most;

  private SlowCalls(int most) {
    this.most = most;
  }

  /**
   * Reads the calls, and the samples of a recording.
   *
   * @param recording the same, opened with its waiting threads if there are any; null if it has no
   *     samples
   * @param most how many calls are kept
   * @return the longest first
   * @throws RecordingException if the file can't be read any more; one line for users
   */
  static List<Call> read(Path file, SampledRecording recording, int most)
      throws IOException, RecordingException {
    SlowCalls calls = new SlowCalls(most);
    ChunkEvents.read(file, SHAPES, calls);
    if (recording != null) {
      recording.forEachSample(calls::addSample);
    }
    List<Call> sorted = new ArrayList<>(calls.longest);
    sorted.sort(BY_TIME.reversed());
    return sorted;
  }

  @Override
  public void take(int shape, ChunkReader event) throws IOException {
    long start = event.number(0);
    ofChunk.add(
        new Raw(
            event.nanosAt(start),
            event.nanosAt(start + event.number(1)),
            event.number(2),
            event.number(3),
            event.text(4),
            event.text(5)));
    if (ofChunk.size() > most) {
      ofChunk.poll();
    }
  }

  @Override
  public void end(ChunkHeader chunk, EventConstants constants) {
    Map<Long, EventThread> named =
        constants.threads(ofChunk.stream().map(Raw::thread).collect(Collectors.toSet()));
    Map<Long, List<Frame>> traces =
        constants.stacks(ofChunk.stream().map(Raw::stack).collect(Collectors.toSet()));
    for (Raw raw : ofChunk) {
      longest.add(
          new Call(
              raw.method,
              raw.descriptor,
              Instant.ofEpochSecond(0, raw.start),
              Instant.ofEpochSecond(0, raw.end),
              raw.nanos(),
              named.getOrDefault(raw.thread, EventThread.UNKNOWN),
              callersOf(traces.getOrDefault(raw.stack, List.of())),
              new Sums<>()));
      if (longest.size() > most) {
        longest.poll();
      }
    }
    ofChunk.clear();
  }

  private static List<String> callersOf(List<Frame> stack) {
    List<String> callers = new ArrayList<>();
    boolean isBehindMethod = false;
    for (Frame frame : stack) {
      if (!isBehindMethod) {
        isBehindMethod = OWN_CLASSES.stream().noneMatch(frame.className()::startsWith);
      } else if (callers.size() < MAX_CALLERS && !frame.className().contains("$$Lambda")) {
        callers.add(Names.printable(frame.className() + "." + frame.method()));
      }
    }
    return callers;
  }

  private void addSample(Sample sample) {
    for (Call call : longest) {
      if (call.has(sample)) {
        call.add(sample);
      }
    }
  }
}
