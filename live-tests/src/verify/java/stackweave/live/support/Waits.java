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
import jdk.jfr.consumer.RecordedEvent;
import stackweave.lab.recording.PlainDefinitions;
import stackweave.lab.recording.PlainRecording;

/** The waiting and blocked threads of a recording, as a {@link PlainRecording} has them. */
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
      String thread,
      Instant time,
      String state,
      long weight,
      String end,
      boolean isComplete,
      List<Frame> frames) {}

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

  private static final List<String> FIGURES =
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
          "blockedCpu");

  public final List<Sample> samples = new ArrayList<>();
  public final List<Block> blocks = new ArrayList<>();

  /** Sums of the SamplerStatus events, by field. */
  public final Map<String, Long> status = new HashMap<>();

  /** The last note that was not empty. */
  public final String note;

  private final PlainRecording recording;

  public static Waits of(Path file) {
    try {
      return new Waits(PlainRecording.of(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Waits(PlainRecording recording) {
    this.recording = recording;
    FIGURES.forEach(field -> status.put(field, recording.sum(field)));
    note = recording.note();
    recording.events("stackweave.WallSample").forEach(this::readSample);
    recording.events("stackweave.Blocked").forEach(this::readBlock);
  }

  private void readBlock(RecordedEvent event) {
    int state = event.getInt("state");
    blocks.add(
        new Block(
            thread(event),
            event.getStartTime(),
            event.getEndTime(),
            event.getBoolean("over"),
            recording.state(state),
            recording.end(event.getInt("end")),
            frames(event),
            event.getLong("wakerThreadId") == 0 ? "" : knownName(event.getLong("wakerThreadId")),
            event.getInt("wakerPid"),
            event.getLong("wakeDelay")));
  }

  private String thread(RecordedEvent event) {
    PlainDefinitions.SampledThread thread = recording.threadOf(event);
    return thread == null ? "?" : thread.name();
  }

  /** A thread may wake another before its own name is known: then the name that it had later. */
  private String knownName(long threadId) {
    PlainDefinitions.SampledThread thread = recording.definitions.threads.get(threadId);
    if (thread == null) {
      return "?";
    }
    String unknown = "thread " + thread.osThreadId();
    return recording.definitions.threads.values().stream()
        .filter(other -> other.osThreadId() == thread.osThreadId() && other.javaId() != 0)
        .map(PlainDefinitions.SampledThread::name)
        .filter(name -> thread.name().equals(unknown))
        .findFirst()
        .orElse(thread.name());
  }

  private List<Frame> frames(RecordedEvent event) {
    List<Frame> frames = new ArrayList<>();
    for (PlainDefinitions.Frame frame : recording.frames(event)) {
      PlainDefinitions.Method method = recording.definitions.methods.get(frame.methodId());
      frames.add(
          new Frame(
              recording.kind(frame.kind()),
              recording.moduleOf(method),
              method.className(),
              method.name(),
              frame.line(),
              method.start() + frame.offset() + 1));
    }
    return frames;
  }

  private void readSample(RecordedEvent event) {
    int state = event.getInt("state");
    samples.add(
        new Sample(
            thread(event),
            event.getStartTime(),
            recording.state(state),
            event.getLong("weight"),
            recording.end(event.getInt("end")),
            recording.isComplete(event.getInt("end")),
            frames(event)));
  }

  public boolean isComplete(Sample sample) {
    return sample.isComplete();
  }

  /** The recording's events of a name. */
  public List<RecordedEvent> events(String name) {
    return recording.events(name);
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
