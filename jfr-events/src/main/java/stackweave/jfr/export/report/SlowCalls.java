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
import jdk.jfr.consumer.EventStream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import stackweave.jfr.call.NativeCall;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.export.Names;
import stackweave.jfr.read.ChunkList;
import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.Sample;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;

/**
 * The longest of the slow native calls of a recording, each with its callers and with what the
 * samples say that its thread got meanwhile. Stacks are read by the JDK's own reader, which needs
 * finished chunks. Not thread-safe.
 */
final class SlowCalls {
  /** Longer ones are kept, shorter ones only counted. */
  private static final int MAX_CALLS = 10_000;

  /** Callers that are kept of a stack. */
  private static final int MAX_CALLERS = 3;

  /** How many calls before the one that began last may still go on: those around it. */
  private static final int MAX_AROUND = 256;

  /** Of the frames between the method and the event; see CallHook in the agent. */
  private static final List<String> OWN_CLASSES =
      List.of("stackweave.jfr.call.", "java.lang.StackweaveNativeCalls");

  private static final Comparator<Call> BY_TIME =
      Comparator.comparingLong(Call::nanos).thenComparing(Call::start);

  /** A slow call. */
  static final class Call {
    private final String method;
    private final String descriptor;
    private final Instant start;
    private final Instant end;
    private final long nanos;
    private final String thread;
    private final long javaId;
    private final long osThreadId;
    private final List<String> callers;
    private long samples;
    private final Map<String, Long> places = new HashMap<>();

    private Call(RecordedEvent event) {
      method = event.getString("method");
      descriptor = event.getString("descriptor");
      start = event.getStartTime();
      end = event.getEndTime();
      nanos = event.getDuration().toNanos();
      RecordedThread own = event.getThread();
      javaId = own == null ? 0 : own.getJavaThreadId();
      osThreadId = own == null ? 0 : own.getOSThreadId();
      String name = own == null ? null : own.getJavaName();
      thread = name == null || name.isEmpty() ? "thread " + javaId : Names.printable(name);
      callers = callersOf(event.getStackTrace());
    }

    String method() {
      return method;
    }

    String descriptor() {
      return descriptor;
    }

    Instant start() {
      return start;
    }

    long nanos() {
      return nanos;
    }

    String thread() {
      return thread;
    }

    /** The innermost first, without the method itself. */
    List<String> callers() {
      return callers;
    }

    /** Samples of the thread during the call, with the method in their stack. */
    long samples() {
      return samples;
    }

    /** What these were in, the most frequent first, with their number. */
    List<Map.Entry<String, Long>> places() {
      List<Map.Entry<String, Long>> sorted = new ArrayList<>(places.entrySet());
      sorted.sort(
          Map.Entry.<String, Long>comparingByValue()
              .reversed()
              .thenComparing(Map.Entry.comparingByKey()));
      return sorted;
    }

    /**
     * Whether a sample shows the call: by thread and time, and by its stack, since the time of a
     * sample of a waiting thread may be a moment after the wait.
     */
    private boolean has(Sample sample) {
      boolean isOwn =
          osThreadId <= 0
              || sample.thread().isVirtual()
              || sample.thread().osThreadId() == osThreadId;
      if (!isOwn || sample.time().isBefore(start) || sample.time().isAfter(end)) {
        return false;
      }
      for (SampledFrame frame : sample.frames()) {
        if (FrameText.of(frame).text().equals(method)) {
          return true;
        }
      }
      return false;
    }

    private void add(Sample sample) {
      samples++;
      List<SampledFrame> frames = sample.frames();
      String inner = FrameText.of(frames.get(frames.size() - 1)).text();
      String state = sample.state();
      places.merge(ThreadState.isBlocked(state) ? state + ": " + inner : inner, 1L, Long::sum);
    }
  }

  private final PriorityQueue<Call> longest = new PriorityQueue<>(BY_TIME);

  private SlowCalls() {}

  /**
   * Reads the calls, and the samples of a recording.
   *
   * @param recording the same, opened with its waiting threads if there are any; null if it has no
   *     samples
   * @return null if a chunk is not finished or damaged: the JDK's reader might wait for its end
   * @throws RecordingException if the file can't be read any more; one line for users
   */
  static SlowCalls read(Path file, SampledRecording recording) throws RecordingException {
    for (ChunkHeader header : ChunkList.scan(file).chunks()) {
      if (!header.isFinished()) {
        return null;
      }
    }
    SlowCalls calls = new SlowCalls();
    try (EventStream events = EventStream.openFile(file)) {
      events.setOrdered(false);
      events.setReuse(false);
      events.onError(error -> {});
      events.onEvent(NativeCall.NAME, event -> calls.add(new Call(event)));
      events.start();
    } catch (IOException | RuntimeException e) {
      return null;
    }
    if (recording != null) {
      calls.addSamples(recording);
    }
    return calls;
  }

  private void add(Call call) {
    longest.add(call);
    if (longest.size() > MAX_CALLS) {
      longest.poll();
    }
  }

  private static List<String> callersOf(RecordedStackTrace stack) {
    List<String> callers = new ArrayList<>();
    if (stack == null) {
      return callers;
    }
    boolean isBehindMethod = false;
    for (RecordedFrame frame : stack.getFrames()) {
      RecordedMethod method = frame.getMethod();
      String type = method == null ? "" : method.getType().getName();
      if (!isBehindMethod) {
        isBehindMethod = OWN_CLASSES.stream().noneMatch(type::startsWith);
      } else if (callers.size() < MAX_CALLERS && !type.contains("$$Lambda")) {
        callers.add(Names.printable(type + "." + (method == null ? "?" : method.getName())));
      }
    }
    return callers;
  }

  private void addSamples(SampledRecording recording) throws RecordingException {
    Map<Long, List<Call>> byThread = new HashMap<>();
    for (Call call : longest) {
      byThread.computeIfAbsent(call.javaId, key -> new ArrayList<>()).add(call);
    }
    byThread.remove(0L);
    byThread.values().forEach(calls -> calls.sort(Comparator.comparing(Call::start)));
    if (byThread.isEmpty()) {
      return;
    }
    recording.forEachSample(
        sample -> {
          List<Call> calls = byThread.get(sample.thread().javaId());
          if (calls != null) {
            add(sample, calls);
          }
        });
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

  /** The longest first. */
  List<Call> sorted() {
    List<Call> sorted = new ArrayList<>(longest);
    sorted.sort(BY_TIME.reversed());
    return sorted;
  }
}
