package stackweave.lab.zoo;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.lab.phases.PhaseRun.PhaseEvent;
import stackweave.lab.recording.PlainDefinitions;
import stackweave.lab.recording.PlainRecording;
import stackweave.lab.zoo.Stack.Frame;
import stackweave.lab.zoo.Stack.Kind;
import stackweave.lab.zoo.Stack.Outcome;

/** A recording of the agent, read without the product's code. */
final class OwnRecording {
  private static final int NATIVE_MODIFIER = 0x100;

  /** What stands for native frames that are missing, and for a Java frame that is not known. */
  private static final String MISSING_FRAMES = "[missing frames]";

  private static final List<String> GUESSES = List.of("[missing frame]", "[stale code]");

  /**
   * A sample.
   *
   * @param at when its thread was interrupted
   * @param osThreadId the kernel's number of the thread
   * @param frames of the recording, the innermost first
   */
  record Sample(Instant at, long osThreadId, List<PlainDefinitions.Frame> frames, Stack stack) {}

  private final PlainRecording plain;
  private final Map<Integer, Found> ways = new HashMap<>();
  private final Map<String, Stack> stacks = new HashMap<>();
  private Instant begin = Instant.MAX;
  private Instant end = Instant.MIN;

  private OwnRecording(PlainRecording plain) {
    this.plain = plain;
    for (RecordedEvent phase : plain.events(PhaseEvent.NAME)) {
      begin = phase.getStartTime();
      end = phase.getEndTime();
    }
  }

  static OwnRecording read(Path file) throws IOException {
    return new OwnRecording(PlainRecording.of(file));
  }

  /** A sum over the sampler's status events of the measured time. */
  long sum(String field) {
    return plain.statuses.stream()
        .filter(status -> status.getStartTime().isAfter(begin))
        .mapToLong(status -> status.getLong(field))
        .sum();
  }

  /** The engine that sampled. */
  String engine() {
    return plain.engine();
  }

  /** The samples of a category's threads in the measured time. */
  List<Sample> samples(Category category) {
    List<Sample> samples = new ArrayList<>();
    for (RecordedEvent event : plain.samples) {
      if (event.getStartTime().isBefore(begin) || event.getStartTime().isAfter(end)) {
        continue;
      }
      PlainDefinitions.SampledThread thread = plain.threadOf(event);
      // Threads that a library starts have the name of the thread that started them.
      if (thread != null && thread.javaId() != 0 && category.rounds().containsKey(thread.name())) {
        List<PlainDefinitions.Frame> frames = plain.frames(event);
        samples.add(
            new Sample(
                event.getStartTime(),
                thread.osThreadId(),
                frames,
                stack(event, thread.name(), frames)));
      }
    }
    return samples;
  }

  /** One object for equal stacks. */
  private Stack stack(RecordedEvent event, String thread, List<PlainDefinitions.Frame> frames) {
    long attributesId = event.getLong("attributesId");
    return stacks.computeIfAbsent(
        thread + " " + event.getLong("stackId") + " " + attributesId,
        key -> {
          List<Frame> all = frames.stream().map(this::frame).toList();
          return new Stack(
              thread, all, outcome(all, plain.isComplete(event)), plain.end(plain.endOf(event)));
        });
  }

  private static Outcome outcome(List<Frame> frames, boolean complete) {
    if (frames.stream()
        .anyMatch(
            frame ->
                frame.name().equals(MISSING_FRAMES) || frame.found().trust() == Found.Trust.GAP)) {
      return Outcome.GAP;
    }
    if (!complete) {
      return Outcome.EARLY;
    }
    boolean guessed =
        frames.stream()
            .anyMatch(
                frame ->
                    GUESSES.contains(frame.name()) || frame.found().trust() == Found.Trust.GUESS);
    return guessed ? Outcome.GUESSED : Outcome.COMPLETE;
  }

  /** A frame of a recording in the judge's terms. */
  Frame frame(PlainDefinitions.Frame frame) {
    PlainDefinitions.Method method = plain.definitions.methods.get(frame.methodId());
    String kind = plain.kind(frame.kind());
    Found found =
        ways.computeIfAbsent(
            frame.found(), code -> Found.of(plain.found(code), plain.isGuess(code)));
    if (!method.className().isEmpty()) {
      boolean isNative = (method.modifiers() & NATIVE_MODIFIER) != 0;
      return Frame.ofMethod(method.className(), method.name(), isNative, found);
    }
    if (method.name().equals(MISSING_FRAMES) || GUESSES.contains(method.name())) {
      return Frame.ofOther(Kind.OTHER, method.name(), found);
    }
    return switch (kind) {
      case "native", "unknown" -> Frame.ofCode(plain.moduleOf(method), method.name(), found);
      case "stub" -> Frame.ofOther(Kind.STUB, method.name(), found);
      default -> Frame.ofOther(Kind.OTHER, method.name(), found);
    };
  }

  /** Where a native frame's pc is in its file; the pc itself for code in no file. */
  long offset(PlainDefinitions.Frame frame) {
    return plain.definitions.methods.get(frame.methodId()).start() + frame.offset();
  }
}
