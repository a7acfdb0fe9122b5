package stackweave.verify.it;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.Sample;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;

/**
 * Samples as lines: thread, whether the stack is whole, then each frame from the innermost with
 * class, method, line and type. As our reader has them, and as the JDK has woven ones.
 */
final class WovenText {
  /** JDKs convert the times of some chunks by the clock of a neighbour: they differ by less. */
  private static final long CLOCK_NANOS = 2_000;

  private WovenText() {}

  /** By our reader, from the samples' own events. */
  static List<String> expected(Path recording) throws RecordingException {
    List<String> lines = new ArrayList<>();
    SampledRecording.open(recording).forEachSample(sample -> lines.add(expected(sample)));
    return lines;
  }

  private static String expected(Sample sample) {
    StringBuilder line = new StringBuilder();
    line.append(sample.thread().osThreadId())
        .append(sample.thread().javaId() == 0 ? "/" : "/" + sample.thread().javaId())
        .append(sample.end().isComplete() ? " whole" : " truncated");
    if (sample.frames().isEmpty()) {
      return line + " no frame";
    }
    for (int i = sample.frames().size() - 1; i >= 0; i--) {
      line.append(';').append(expected(sample.frames().get(i)));
    }
    return line.toString();
  }

  private static String expected(SampledFrame frame) {
    FrameText text = FrameText.of(frame);
    boolean isCpp = text.symbol().contains("::") || text.symbol().indexOf('(') > 0;
    String type =
        switch (frame.kind()) {
          case "interpreted" -> "Interpreted";
          case "inlined" -> "Inlined";
          case "C1", "C2", "C1 OSR", "C2 OSR" -> "JIT compiled";
          case "kernel" -> "Kernel";
          case "native" -> isCpp ? "C++" : "Native";
          default -> "Native";
        };
    String end = ":" + frame.line() + ":" + type;
    if (!frame.method().className().isEmpty()) {
      return (frame.method().className() + "." + frame.method().name()).replace('/', '.') + end;
    }
    String library = text.library().isEmpty() ? frame.kind() : text.library();
    // JMC takes no name of a class that begins with a bracket.
    return library.replaceFirst("^\\[(.*)]$", "$1")
        + "."
        + (text.symbol().isEmpty() ? text.text() : text.symbol())
        + end;
  }

  /**
   * Writes how the JDK that runs this has all woven samples. Arguments: a recording and a file for
   * the lines, and so on. The first line has the number of times that differ from the times that
   * the same JDK gives to the samples' own events.
   */
  public static void main(String[] arguments) throws Exception {
    for (int i = 0; i < arguments.length; i += 2) {
      List<Instant> times = new ArrayList<>();
      List<Instant> wovenTimes = new ArrayList<>();
      List<String> lines = new ArrayList<>();
      for (RecordedEvent event : RecordingFile.readAllEvents(Path.of(arguments[i]))) {
        String type = event.getEventType().getName();
        if (type.equals("stackweave.StackSample")) {
          times.add(event.getStartTime());
        } else if (type.equals("jdk.ExecutionSample")) {
          wovenTimes.add(event.getStartTime());
          lines.add(line(event));
        }
      }
      times.sort(null);
      wovenTimes.sort(null);
      int differences = Math.abs(times.size() - wovenTimes.size());
      for (int j = 0; j < Math.min(times.size(), wovenTimes.size()); j++) {
        long off = Math.abs(Duration.between(times.get(j), wovenTimes.get(j)).toNanos());
        differences += off < CLOCK_NANOS ? 0 : 1;
      }
      try (PrintStream out = new PrintStream(arguments[i + 1], StandardCharsets.UTF_8)) {
        out.println(differences);
        lines.forEach(out::println);
      }
    }
  }

  private static String line(RecordedEvent event) {
    RecordedThread thread = event.getThread("sampledThread");
    StringBuilder line = new StringBuilder();
    line.append(thread.getOSThreadId())
        .append(thread.getJavaThreadId() <= 0 ? "/" : "/" + thread.getJavaThreadId())
        .append(event.getStackTrace().isTruncated() ? " truncated" : " whole");
    List<RecordedFrame> frames = event.getStackTrace().getFrames();
    if (frames.get(0).getMethod().getType().getName().equals("marker") && frames.size() == 1) {
      return line + " no frame";
    }
    for (RecordedFrame frame : frames) {
      line.append(';')
          .append(frame.getMethod().getType().getName())
          .append('.')
          .append(frame.getMethod().getName())
          .append(':')
          .append(frame.getLineNumber())
          .append(':')
          .append(frame.getType());
    }
    return line.toString();
  }
}
