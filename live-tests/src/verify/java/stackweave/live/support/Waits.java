package stackweave.live.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.lab.recording.PlainDefinitions;
import stackweave.testing.EventsByTime;

/**
 * The wall samples and blocked threads of a recording, put together from its events by the JDK's
 * own reader and by docs/events.md: nothing of the product's code has a part in it.
 */
public final class Waits {
  /** A frame; {@code kind} in the words of the session's legend. */
  public record Frame(
      String kind, String module, String className, String name, int line, long returnAddress) {
    public boolean isJava() {
      return !className.isEmpty();
    }

    public boolean isNative() {
      return kind.equals("native");
    }

    @Override
    public String toString() {
      return (isJava() ? className + "." + name + ":" + line : name) + " [" + kind + "]";
    }
  }

  /** A sample, its frames the innermost first. */
  public record Sample(
      String thread, Instant time, String state, long weight, String end, List<Frame> frames) {}

  /** A thread that was blocked, its frames the innermost first. */
  public record Block(
      String thread,
      Instant start,
      Instant end,
      boolean isOver,
      String state,
      String stackEnd,
      List<Frame> frames,
      String waker,
      int wakerPid,
      long wakeDelay) {
    public long nanos() {
      return Duration.between(start, end).toNanos();
    }

    public boolean hasMethod(String name) {
      return frames.stream().anyMatch(frame -> frame.name().equals(name));
    }
  }

  public final List<Sample> samples = new ArrayList<>();
  public final List<Block> blocks = new ArrayList<>();

  /** Sums of the SamplerStatus events, by field. */
  public final Map<String, Long> status = new HashMap<>();

  /** The last note that was not empty. */
  public String note = "";

  private final Set<String> complete = new TreeSet<>();
  private final Map<Integer, String> kinds = new HashMap<>();
  private final Map<Integer, String> ends = new HashMap<>();
  private final Map<Integer, String> states = new HashMap<>();
  private final PlainDefinitions definitions = new PlainDefinitions();

  public static Waits of(Path recording) {
    return new Waits(eventsOf(recording));
  }

  /** All events of a recording, by time. */
  public static List<RecordedEvent> eventsOf(Path recording) {
    try {
      return EventsByTime.of(recording);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Waits(List<RecordedEvent> events) {
    for (RecordedEvent event : events) {
      switch (event.getEventType().getName()) {
        case "stackweave.Session" -> readLegends(event);
        case PlainDefinitions.EVENT -> definitions.add(event);
        case "stackweave.SamplerStatus" -> readStatus(event);
        default -> {
          // Not of waiting threads.
        }
      }
    }
    events.stream()
        .filter(event -> event.getEventType().getName().equals("stackweave.WallSample"))
        .forEach(this::readSample);
    events.stream()
        .filter(event -> event.getEventType().getName().equals("stackweave.Blocked"))
        .forEach(this::readBlock);
  }

  private void readLegends(RecordedEvent session) {
    legend(session.getString("kindLegend"), kinds);
    legend(session.getString("endLegend"), ends);
    legend(session.getString("stateLegend"), states);
    for (String code : session.getString("completeEnds").split(",")) {
      complete.add(ends.get(Integer.parseInt(code.strip())));
    }
  }

  private static void legend(String legend, Map<Integer, String> into) {
    for (String entry : legend.split(",")) {
      String[] sides = entry.strip().split("=", 2);
      into.put(Integer.parseInt(sides[0]), sides[1]);
    }
  }

  private void readStatus(RecordedEvent event) {
    for (String field :
        List.of(
            "wallCaptured",
            "wallUnread",
            "wallWritten",
            "wallDropped",
            "wallCpu",
            "blockedWritten",
            "blockedUnseen",
            "blockedDropped",
            "blockedLost",
            "blockedPaused",
            "blockedCpu")) {
      status.merge(field, event.getLong(field), Long::sum);
    }
    String text = event.getString("note");
    note = text.isEmpty() ? note : text;
  }

  private void readBlock(RecordedEvent event) {
    int state = event.getInt("state");
    blocks.add(
        new Block(
            thread(event),
            event.getStartTime(),
            event.getEndTime(),
            event.getBoolean("over"),
            states.getOrDefault(state, "code " + state),
            ends.get(event.getInt("end")),
            frames(event),
            event.getLong("wakerThreadId") == 0 ? "" : knownName(event.getLong("wakerThreadId")),
            event.getInt("wakerPid"),
            event.getLong("wakeDelay")));
  }

  private String thread(RecordedEvent event) {
    return thread(event, "threadId");
  }

  private String thread(RecordedEvent event, String field) {
    PlainDefinitions.SampledThread thread = definitions.threads.get(event.getLong(field));
    return thread == null ? "?" : thread.name();
  }

  /** A thread may wake another before its own name is known: then the name that it had later. */
  private String knownName(long threadId) {
    PlainDefinitions.SampledThread thread = definitions.threads.get(threadId);
    if (thread == null) {
      return "?";
    }
    String unknown = "thread " + thread.osThreadId();
    return definitions.threads.values().stream()
        .filter(other -> other.osThreadId() == thread.osThreadId() && other.javaId() != 0)
        .map(PlainDefinitions.SampledThread::name)
        .filter(name -> thread.name().equals(unknown))
        .findFirst()
        .orElse(thread.name());
  }

  private List<Frame> frames(RecordedEvent event) {
    List<Frame> frames = new ArrayList<>();
    for (long id = event.getLong("stackId"); id != 0; ) {
      PlainDefinitions.Frame frame = definitions.frames.get(id);
      PlainDefinitions.Method method = definitions.methods.get(frame.methodId());
      PlainDefinitions.Library library = definitions.libraries.get(method.libraryId());
      String path = library == null ? "" : library.path();
      frames.add(
          new Frame(
              kinds.get(frame.kind()),
              path.substring(path.lastIndexOf('/') + 1),
              method.className(),
              method.name(),
              frame.line(),
              method.start() + frame.offset() + 1));
      id = frame.parentId();
    }
    return frames;
  }

  private void readSample(RecordedEvent event) {
    int state = event.getInt("state");
    samples.add(
        new Sample(
            thread(event),
            event.getStartTime(),
            states.getOrDefault(state, "code " + state),
            event.getLong("weight"),
            ends.get(event.getInt("end")),
            frames(event)));
  }

  public boolean isComplete(Sample sample) {
    return complete.contains(sample.end());
  }

  /** The last sample of each thread that was blocked. */
  public Map<String, Sample> last() {
    Map<String, Sample> last = new HashMap<>();
    for (Sample sample : samples) {
      if (!sample.state().equals("waiting for a CPU") && !sample.frames().isEmpty()) {
        last.merge(sample.thread(), sample, (a, b) -> a.time().isAfter(b.time()) ? a : b);
      }
    }
    return last;
  }

  /** As getStackTrace has them: class, method, line; −2 in native methods; no hidden ones. */
  public static List<String> javaFrames(Sample sample) {
    return sample.frames().stream()
        .filter(Frame::isJava)
        .filter(frame -> !frame.className().contains("$$Lambda"))
        .map(
            frame ->
                frame.className()
                    + " "
                    + frame.name()
                    + " "
                    + (frame.kind().equals("native method") ? -2 : frame.line()))
        .toList();
  }

  /** The frames from the innermost outwards to the first that is not native. */
  public static List<Gdb.Frame> nativeFrames(Sample sample) {
    List<Gdb.Frame> frames = new ArrayList<>();
    for (Frame frame : sample.frames()) {
      if (!frame.isNative()) {
        break;
      }
      frames.add(new Gdb.Frame(frame.module(), frame.returnAddress(), frame.name()));
    }
    return frames;
  }

  /** {@code name|frame|frame…} as WaitingApp writes it. */
  public static List<String> framesOf(String line) {
    return Arrays.stream(line.split("\\|"))
        .skip(1)
        .filter(frame -> !frame.contains("$$Lambda"))
        .toList();
  }
}
