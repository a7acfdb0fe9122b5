package stackweave.lab.cold;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;
import stackweave.lab.recording.PlainDefinitions.Frame;
import stackweave.lab.recording.PlainDefinitions.Library;
import stackweave.lab.recording.PlainSamples;

/** What a recording of the agent says, and what one of async-profiler does; cold and later. */
final class Recorded {
  /** The other profiler's code, which runs in its signal's handler on the sampled threads. */
  private static final String ASYNC_LIBRARY = "libasyncProfiler";

  /** What the classes of the agent begin with, with those that it brings along. */
  private static final String OURS = "stackweave.";

  private static final String JNA = "com.sun.jna.";

  /** Of one phase. */
  static final class Phase {
    long samples;
    long frames;
    long complete;

    /** CPU time of samples inside of the other profiler. */
    long asyncNanos;

    /** Samples that the other profiler took. */
    long asyncSamples;

    /** Those of them in which a compiler compiles the agent. */
    long asyncOfCompilation;

    /** How long the compilers compiled the agent, waits for a CPU included. */
    long compileNanos;

    long lost;
    long thinned;
  }

  final Phase cold = new Phase();
  final Phase later = new Phase();
  long startDelayNanos = -1;
  String note = "";

  private final Instant end;
  private final List<Instant> times = new ArrayList<>();

  /**
   * @param coldEnd when the application was cold no more
   */
  Recorded(Instant coldEnd) {
    this.end = coldEnd;
  }

  private Phase at(Instant time) {
    return time.isBefore(end) ? cold : later;
  }

  /** Reads a recording of the agent. */
  void own(Path file) throws IOException {
    PlainSamples own = new PlainSamples();
    try (RecordingFile recording = new RecordingFile(file)) {
      while (recording.hasMoreEvents()) {
        RecordedEvent event = recording.readEvent();
        own.add(event);
        switch (event.getEventType().getName()) {
          case "stackweave.SamplerStatus" -> status(event);
          case "jdk.Compilation" -> {
            if (isOurs(event.getValue("method"))) {
              at(event.getEndTime()).compileNanos += event.getDuration().toNanos();
            }
          }
          default -> {
            // Of something else.
          }
        }
      }
    }
    for (RecordedEvent sample : own.samples) {
      sample(sample, own);
      times.add(sample.getStartTime());
    }
  }

  /** How many samples were taken between two moments. */
  long samplesBetween(Instant from, Instant to) {
    return times.stream().filter(time -> time.isAfter(from) && time.isBefore(to)).count();
  }

  private void status(RecordedEvent event) {
    Phase phase = at(event.getEndTime());
    phase.lost += event.getLong("lost");
    phase.thinned += event.getLong("thinned");
    Duration delay = event.getDuration("startDelay");
    startDelayNanos = Math.max(startDelayNanos, delay.toNanos());
    String said = event.getString("note");
    note = said == null || said.isEmpty() ? note : said;
  }

  private void sample(RecordedEvent event, PlainSamples own) {
    Phase phase = at(event.getStartTime());
    phase.samples++;
    phase.complete += own.isComplete(event) ? 1 : 0;
    boolean inAsync = false;
    for (Frame frame : own.frames(event)) {
      phase.frames++;
      Library library =
          own.definitions.libraries.get(own.definitions.methods.get(frame.methodId()).libraryId());
      inAsync |= library != null && library.path().contains(ASYNC_LIBRARY);
    }
    if (inAsync) {
      phase.asyncNanos += event.getLong("weight");
    }
  }

  /** Reads a recording of async-profiler. */
  void async(Path file) throws IOException {
    try (RecordingFile recording = new RecordingFile(file)) {
      while (recording.hasMoreEvents()) {
        RecordedEvent event = recording.readEvent();
        if (event.getEventType().getName().equals("jdk.ExecutionSample")) {
          Phase phase = at(event.getStartTime());
          phase.asyncSamples++;
          phase.asyncOfCompilation += isOfCompilation(event.getStackTrace()) ? 1 : 0;
        }
      }
    }
  }

  /** Its frame of the task of a compiler's thread stands among frames of libjvm. */
  private static boolean isOfCompilation(RecordedStackTrace stack) {
    if (stack == null) {
      return false;
    }
    boolean compiles = false;
    boolean ours = false;
    for (RecordedFrame frame : stack.getFrames()) {
      RecordedMethod method = frame.getMethod();
      compiles |= method.getName().contains("CompileBroker::");
      ours |= isOurs(method);
    }
    return compiles && ours;
  }

  private static boolean isOurs(RecordedMethod method) {
    RecordedClass type = method == null ? null : method.getType();
    String name = type == null || type.getName() == null ? "" : type.getName().replace('/', '.');
    // Not the classes of the application, which are of this package.
    return name.startsWith(JNA) || name.startsWith(OURS) && !name.startsWith(OURS + "verify.");
  }
}
