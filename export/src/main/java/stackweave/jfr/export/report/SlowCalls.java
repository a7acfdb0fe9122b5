package stackweave.jfr.export.report;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
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

/**
 * The longest of the slow native calls of a recording, each with its callers and with what the
 * samples say that its thread got meanwhile. Not thread-safe.
 */
final class SlowCalls implements ChunkEvents.Taker {
  /** Longer ones are kept, shorter ones only counted. */
  private static final int MAX_CALLS = 10_000;

  /** Callers that are kept of a stack. */
  private static final int MAX_CALLERS = 3;

  /** How many calls before the one that began last may still go on: those around it. */
  private static final int MAX_AROUND = 256;

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
      return places.sorted().stream().mapToLong(sum -> sum.count).sum();
    }

    /**
     * Whether a sample shows the call: by thread and time, and by its stack, since the time of a
     * sample of a waiting thread may be a moment after the wait.
     */
    private boolean has(Sample sample) {
      boolean isOwn =
          own.osId() <= 0
              || sample.thread().isVirtual()
              || sample.thread().osThreadId() == own.osId();
      return isOwn
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

  private SlowCalls() {}

  /**
   * Reads the calls, and the samples of a recording.
   *
   * @param recording the same, opened with its waiting threads if there are any; null if it has no
   *     samples
   * @return the longest first
   * @throws RecordingException if the file can't be read any more; one line for users
   */
  static List<Call> read(Path file, SampledRecording recording)
      throws IOException, RecordingException {
    SlowCalls calls = new SlowCalls();
    ChunkEvents.read(file, SHAPES, calls);
    if (recording != null) {
      calls.addSamples(recording);
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
    if (ofChunk.size() > MAX_CALLS) {
      ofChunk.poll();
    }
  }

  @Override
  public void end(ChunkHeader chunk, EventConstants constants) {
    Set<Long> threads = new HashSet<>();
    Set<Long> stacks = new HashSet<>();
    for (Raw raw : ofChunk) {
      threads.add(raw.thread);
      stacks.add(raw.stack);
    }
    Map<Long, EventThread> named = constants.threads(threads);
    Map<Long, List<Frame>> traces = constants.stacks(stacks);
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
      if (longest.size() > MAX_CALLS) {
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

  private void addSamples(SampledRecording recording) throws RecordingException {
    Map<Long, List<Call>> byThread = new HashMap<>();
    for (Call call : longest) {
      byThread.computeIfAbsent(call.own.javaId(), key -> new ArrayList<>()).add(call);
    }
    byThread.remove(0L);
    byThread.values().forEach(calls -> calls.sort(Comparator.comparing(Call::start)));
    if (byThread.isEmpty()) {
      return;
    }
    recording.forEachSample(
        sample -> add(sample, byThread.getOrDefault(sample.thread().javaId(), List.of())));
  }

  /** Calls of one thread lie beside each other, or one within the other by way of a callback. */
  private static void add(Sample sample, List<Call> calls) {
    int low = 0;
    int high = calls.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (calls.get(middle).start.isAfter(sample.time())) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    for (int i = low - 1; i >= Math.max(0, low - MAX_AROUND); i--) {
      if (calls.get(i).has(sample)) {
        calls.get(i).add(sample);
      }
    }
  }
}
