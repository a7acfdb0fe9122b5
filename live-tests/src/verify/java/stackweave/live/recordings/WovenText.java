package stackweave.live.recordings;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.Sample;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;

/**
 * Samples as lines: thread and its sort, whether the stack is whole, then each frame from the
 * innermost with class, method, line and type. As our reader has them, and as the JDK has woven
 * ones.
 */
final class WovenText {
  private WovenText() {}

  /** By our reader, from the samples' own events. */
  public static List<String> expected(Path recording) throws RecordingException {
    List<String> lines = new ArrayList<>();
    SampledRecording.open(recording).forEachSample(sample -> lines.add(expected(sample)));
    return lines;
  }

  private static String expected(Sample sample) {
    StringBuilder line = new StringBuilder();
    line.append(sample.thread().isVirtual() ? "virtual " : "")
        .append(sample.thread().osThreadId())
        // Samples of before the Java thread was known are woven without its id.
        .append(sample.thread().isVirtual() ? "/" + sample.thread().javaId() : "")
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
}
