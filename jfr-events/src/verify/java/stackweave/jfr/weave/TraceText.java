package stackweave.jfr.weave;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import stackweave.jfr.Programs;
import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.Sample;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.testing.Jdk;

/**
 * Samples as lines: time, OS thread, whether the stack is truncated, then each frame from the
 * innermost with class, method, line and type. Of our reader, and of the JDK's in whatever JDK.
 */
final class TraceText {
  private static final List<String> TIMES =
      List.of("startTime = ", "endTime = ", "duration = ", "eventThread = ");

  private TraceText() {}

  /** What woven samples must be, by our reader of the recording as it was. */
  static List<String> expected(Path recording) throws Exception {
    List<String> lines = new ArrayList<>();
    SampledRecording.open(recording).forEachSample(sample -> lines.add(expected(sample)));
    Collections.sort(lines);
    return lines;
  }

  private static String expected(Sample sample) {
    StringBuilder line = new StringBuilder();
    line.append(nanos(sample.time()))
        .append(' ')
        .append(sample.thread().osThreadId())
        .append(sample.thread().javaId() == 0 ? "/" : "/" + sample.thread().javaId())
        .append(sample.end().isComplete() && !sample.frames().isEmpty() ? " whole" : " truncated");
    for (int i = sample.frames().size() - 1; i >= 0; i--) {
      line.append(';').append(expected(sample.frames().get(i)));
    }
    if (sample.frames().isEmpty()) {
      String text = sample.end().isComplete() ? "[complete]" : "[truncated]";
      line.append(";marker.").append(text).append(":0:Native");
    }
    return line.toString();
  }

  private static String expected(SampledFrame frame) {
    String type =
        switch (frame.kind()) {
          case "interpreted" -> "Interpreted";
          case "C1", "C2", "C1 OSR", "C2 OSR" -> "JIT compiled";
          case "inlined" -> "Inlined";
          case "kernel" -> "Kernel";
          default -> frame.text().contains("::") ? "C++" : "Native";
        };
    String end = ":" + frame.line() + ":" + type;
    if (!frame.method().className().isEmpty()) {
      return (frame.method().className() + "." + frame.method().name()).replace('/', '.') + end;
    }
    FrameText text = FrameText.of(frame);
    String name = text.symbol().isEmpty() ? text.text() : text.symbol();
    String library = text.library().isEmpty() ? frame.kind() : text.library();
    return library + "." + name + end;
  }

  private static long nanos(Instant time) {
    return time.getEpochSecond() * 1_000_000_000L + time.getNano();
  }

  /** What the JDK {@code reader} has of each recording: its samples and all other events. */
  static List<List<List<String>>> read(Jdk reader, Path directory, List<Path> recordings)
      throws Exception {
    List<String> arguments = new ArrayList<>();
    for (int i = 0; i < recordings.size(); i++) {
      arguments.add(recordings.get(i).toString());
      arguments.add(directory.resolve("samples" + i).toString());
      arguments.add(directory.resolve("others" + i).toString());
    }
    if (reader.home().equals(Path.of(System.getProperty("java.home")).toRealPath())) {
      main(arguments.toArray(String[]::new));
    } else {
      Programs.Outcome outcome = Programs.java(reader, List.of(), TraceText.class, arguments);
      assertEquals(0, outcome.exit(), outcome.output());
      assertEquals("", outcome.output());
    }
    List<List<List<String>>> all = new ArrayList<>();
    for (int i = 0; i < recordings.size(); i++) {
      all.add(
          List.of(lines(directory.resolve("samples" + i)), lines(directory.resolve("others" + i))));
    }
    return all;
  }

  /** Lines of a file that {@link #main} wrote, sorted. */
  static List<String> lines(Path file) throws Exception {
    List<String> lines = new ArrayList<>(Files.readAllLines(file));
    Collections.sort(lines);
    return lines;
  }

  /**
   * Writes the execution samples of a recording, then all events but samples and metadata, as the
   * JDK reads them. Arguments: recording, file for the samples, file for the rest; and so on.
   */
  public static void main(String[] arguments) throws Exception {
    for (int i = 0; i < arguments.length; i += 3) {
      write(arguments[i], arguments[i + 1], arguments[i + 2]);
    }
  }

  private static void write(String file, String samplesFile, String othersFile) throws Exception {
    try (RecordingFile recording = new RecordingFile(Path.of(file));
        PrintStream samples = new PrintStream(samplesFile, StandardCharsets.UTF_8);
        PrintStream others = new PrintStream(othersFile, StandardCharsets.UTF_8)) {
      while (recording.hasMoreEvents()) {
        RecordedEvent event = recording.readEvent();
        String type = event.getEventType().getName();
        if (type.equals("jdk.ExecutionSample")) {
          samples.println(sample(event));
        } else if (!type.equals("jdk.NativeMethodSample")) {
          others.println(other(event));
        }
      }
    }
  }

  /** Without its time: the JDK's readers give one chunk's clock to the next. */
  private static String other(RecordedEvent event) {
    StringBuilder text = new StringBuilder();
    for (String line : event.toString().split("\n")) {
      String field = line.strip();
      boolean isOfTime = TIMES.stream().anyMatch(field::startsWith) || field.contains("Time = ");
      if (!isOfTime) {
        text.append(field).append(' ');
      }
    }
    return text.toString();
  }

  private static String sample(RecordedEvent event) {
    RecordedThread thread = event.getThread("sampledThread");
    StringBuilder line = new StringBuilder();
    line.append(nanos(event.getStartTime()))
        .append(' ')
        .append(thread.getOSThreadId())
        .append(thread.getJavaThreadId() <= 0 ? "/" : "/" + thread.getJavaThreadId())
        .append(event.getStackTrace().isTruncated() ? " truncated" : " whole");
    for (RecordedFrame frame : event.getStackTrace().getFrames()) {
      RecordedMethod method = frame.getMethod();
      RecordedClass type = method.getType();
      line.append(';')
          .append(type.getName())
          .append('.')
          .append(method.getName())
          .append(':')
          .append(frame.getLineNumber())
          .append(':')
          .append(frame.getType());
      if (method.isHidden()) {
        line.append(" hidden");
      }
      if (!event.getString("state").equals("STATE_RUNNABLE")) {
        line.append(' ').append(event.getString("state"));
      }
    }
    return line.toString();
  }
}
