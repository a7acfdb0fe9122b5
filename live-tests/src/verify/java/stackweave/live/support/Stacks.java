package stackweave.live.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedThread;
import stackweave.lab.recording.PlainDefinitions;
import stackweave.lab.recording.PlainDefinitions.Library;
import stackweave.lab.recording.PlainDefinitions.SampledThread;
import stackweave.lab.recording.PlainRecording;

/** The stacks of a recording of threads that ran, as a {@link PlainRecording} has them. */
public final class Stacks {
  /**
   * A frame; {@code kind} in the words of the session's legend, {@code module} a file name or "".
   */
  public record Frame(
      String kind,
      String module,
      String className,
      String name,
      int line,
      long offset,
      long symbolStart,
      String found,
      boolean isGuess) {

    public boolean isJava() {
      return !className.isEmpty();
    }

    public boolean isNative() {
      return kind.equals("native");
    }

    /** The name with its class, as a person says it. */
    public String qualifiedName() {
      return isJava() ? className + "." + name : name;
    }

    /**
     * Where a calling frame's return address is in its module: offsets are those of the call, one
     * byte before, since a call may be the last instruction of its function.
     */
    public long returnAddress() {
      return symbolStart + offset + 1;
    }
  }

  /**
   * Whose a sample is, as far as that is said beyond a thread's name.
   *
   * @param carrier name of a virtual thread's carrier, "" of others
   * @param sampledThread name of the Java thread that JFR itself has for the sample, or null
   */
  public record Owner(boolean virtual, long javaId, String carrier, String sampledThread) {}

  /** A sample; the frames are root first. */
  public record Sample(
      String thread,
      long osThread,
      Owner owner,
      Instant time,
      long weight,
      long stackId,
      int endCode,
      String end,
      List<Frame> frames) {

    public Frame innermost() {
      return frames.get(frames.size() - 1);
    }

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder("[" + thread + "] stack " + stackId + ", end: " + end);
      for (Frame frame : frames) {
        text.append("\n    ")
            .append(frame.qualifiedName())
            .append(frame.line() > 0 ? ":" + frame.line() : "")
            .append(" +0x")
            .append(Long.toHexString(frame.offset()))
            .append(" [")
            .append(frame.module())
            .append("] ")
            .append(frame.kind())
            .append(", by ")
            .append(frame.found());
      }
      return text.toString();
    }
  }

  /** Sums over the SamplerStatus events. */
  public record Status(
      long taken,
      long written,
      long lost,
      long dropped,
      long undecodable,
      long cpuUsed,
      long cpuCovered,
      long drainCpu,
      long cpuMissed) {

    /** CPU time used while samples were taken. */
    public long cpuSampled() {
      return cpuUsed - cpuMissed;
    }

    /** Samples passed over, for which others stand. */
    public long thinned() {
      return taken - written - dropped - undecodable;
    }

    /** All samples that ought to be there. */
    public long owed() {
      return written + lost + dropped + undecodable;
    }
  }

  /** An event of the application: its name, its first text field, begin and end. */
  public record Mark(String event, String text, Instant begin, Instant end) {}

  private final PlainRecording recording;
  private final List<Sample> samples = new ArrayList<>();
  private final List<Mark> marks = new ArrayList<>();
  private final List<Library> libraries;
  private final Status status;
  private long unresolved;

  private Stacks(PlainRecording recording) {
    this.recording = recording;
    status =
        new Status(
            recording.sum("taken"),
            recording.sum("written"),
            recording.sum("lost"),
            recording.sum("dropped"),
            recording.sum("undecodable"),
            recording.sum("cpuUsed"),
            recording.sum("cpuCovered"),
            recording.sum("drainCpu"),
            recording.sum("cpuMissed"));
    libraries = List.copyOf(recording.definitions.libraries.values());
    for (RecordedEvent event : recording.events) {
      String type = event.getEventType().getName();
      if (type.startsWith("test.")) {
        String last = event.getFields().get(event.getFields().size() - 1).getName();
        marks.add(new Mark(type, event.getString(last), event.getStartTime(), event.getEndTime()));
      }
    }
    recording.samples.forEach(this::add);
  }

  private void add(RecordedEvent event) {
    List<PlainDefinitions.Frame> found = recording.frames(event);
    List<Frame> stack = new ArrayList<>();
    long missing = event.getLong("stackId");
    for (PlainDefinitions.Frame frame : found) {
      stack.add(frame(frame));
      missing = frame.parentId();
    }
    unresolved += missing == 0 ? 0 : 1;
    Collections.reverse(stack);
    SampledThread thread = recording.threadOf(event);
    samples.add(
        new Sample(
            thread == null ? "?" : thread.name(),
            thread == null ? -1 : thread.osThreadId(),
            owner(event, thread, recording.definitions.threads.values()),
            event.getStartTime(),
            event.getLong("weight"),
            event.getLong("stackId"),
            recording.endOf(event),
            recording.end(recording.endOf(event)),
            stack));
  }

  private static Owner owner(
      RecordedEvent sample, SampledThread thread, Collection<SampledThread> threads) {
    RecordedThread sampled = sample.getThread("sampledThread");
    long carrier = thread == null ? 0 : thread.carrierId();
    String carrierName =
        carrier == 0
            ? ""
            : threads.stream()
                .filter(t -> !t.virtual() && t.javaId() == carrier)
                .map(SampledThread::name)
                .findFirst()
                .orElse("?");
    return new Owner(
        thread != null && thread.virtual(),
        thread == null ? 0 : thread.javaId(),
        carrierName,
        sampled == null ? null : sampled.getJavaName());
  }

  /** Reads a whole recording. */
  public static Stacks of(Path file) {
    try {
      return new Stacks(PlainRecording.of(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Frame frame(PlainDefinitions.Frame frame) {
    PlainDefinitions.Method method = recording.definitions.methods.get(frame.methodId());
    return new Frame(
        recording.kind(frame.kind()),
        recording.moduleOf(method),
        method.className(),
        method.name(),
        frame.line(),
        frame.offset(),
        method.start(),
        recording.found(frame.found()),
        recording.isGuess(frame.found()));
  }

  public List<Sample> samples() {
    return samples;
  }

  public Stream<Sample> of(Predicate<Sample> wanted) {
    return samples.stream().filter(wanted);
  }

  public List<Library> libraries() {
    return libraries;
  }

  public List<Mark> marks() {
    return marks;
  }

  public Status status() {
    return status;
  }

  /** Whether the machine gave the drain thread no CPU for what it had when the JVM ended. */
  public boolean endsEarly() {
    return recording.endsEarly();
  }

  /** Samples whose stack leads to a frame or method that the recording does not hold. */
  public long unresolved() {
    return unresolved;
  }

  public boolean isComplete(Sample sample) {
    return recording.isComplete(sample.endCode());
  }

  /** How many stacks end in which way, most frequent first. */
  public String endsTable() {
    Map<String, Long> counts = new TreeMap<>();
    samples.forEach(sample -> counts.merge(sample.end(), 1L, Long::sum));
    StringBuilder table = new StringBuilder();
    counts.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .forEach(
            end ->
                table.append(
                    String.format(
                        "  %9d  %6.3f %%  %s%n",
                        end.getValue(), 100.0 * end.getValue() / samples.size(), end.getKey())));
    return table.toString();
  }
}
