package stackweave.jfr.export.report;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.stream.Collectors;
import stackweave.jfr.call.NativeCall;
import stackweave.jfr.call.NativeCallCounts;
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
import stackweave.jfr.read.StackThread;

/**
 * The timed native calls of a recording: the sums of each method, and the longest calls, each with
 * its callers and the samples of its thread during the call. Not thread-safe.
 */
final class RecordedCalls implements ChunkEvents.Taker {
  /** Most callers that are kept of a stack. */
  private static final int MAX_CALLERS = 3;

  /** Classes of the frames between the method and the event; see CallHook in the agent. */
  private static final List<String> OWN_CLASSES =
      List.of("stackweave.jfr.call.", "java.lang.StackweaveNativeCalls");

  private static final int COUNTS = 0;
  private static final List<EventShape> SHAPES =
      List.of(
          EventShape.of(
              NativeCallCounts.NAME, "method descriptor calls time histogram slowCalls slowTime"),
          EventShape.of(
              NativeCall.NAME, "startTime duration eventThread stackTrace method descriptor"));

  private static final Comparator<Call> BY_TIME =
      Comparator.comparingLong(Call::nanos).thenComparing(Call::start);

  /**
   * A slow call. Its thread and callers come from its chunk, the samples later.
   *
   * @param own its thread
   * @param callers the innermost first, without the method itself
   * @param places where samples of its thread during the call were, with their numbers
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

  /** A call whose thread and stack are still keys of its chunk. */
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

  private final Map<String, CallSum> sums = new HashMap<>();

  private RecordedCalls(int most) {
    this.most = most;
  }

  /**
   * Reads a recording.
   *
   * @param most how many slow calls are kept
   * @throws RecordingException if the file can't be read any more; one line for users
   */
  static RecordedCalls read(Path file, int most) throws IOException, RecordingException {
    RecordedCalls calls = new RecordedCalls(most);
    ChunkEvents.read(file, SHAPES, calls);
    return calls;
  }

  /** The sums of methods; of those that took most time first. */
  List<CallSum> sums() {
    return sums.values().stream()
        .sorted(
            Comparator.comparingLong((CallSum sum) -> -sum.nanos())
                .thenComparing(sum -> sum.method)
                .thenComparing(sum -> sum.descriptor))
        .toList();
  }

  /** The longest calls, the longest first. */
  List<Call> longest() {
    return longest.stream().sorted(BY_TIME.reversed()).toList();
  }

  /** Adds a sample to the longest calls that it is within. */
  void add(Sample sample) {
    for (Call call : longest) {
      if (call.has(sample)) {
        call.add(sample);
      }
    }
  }

  @Override
  public void take(int shape, ChunkReader event) throws IOException {
    if (shape == COUNTS) {
      sum(event.text(0), event.text(1)).add(event);
      return;
    }
    long start = event.nanosAt(event.number(0));
    long end = event.nanosAt(event.number(0) + event.number(1));
    String method = event.text(4);
    String descriptor = event.text(5);
    sum(method, descriptor).slowEvents.add(1, event.nanosOf(event.number(1)));
    ofChunk.add(new Raw(start, end, event.number(2), event.number(3), method, descriptor));
    if (ofChunk.size() > most) {
      ofChunk.poll();
    }
  }

  private CallSum sum(String method, String descriptor) {
    return sums.computeIfAbsent(method + descriptor, key -> new CallSum(method, descriptor));
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
}
