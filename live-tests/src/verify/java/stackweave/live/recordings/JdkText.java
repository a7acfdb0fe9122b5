package stackweave.live.recordings;

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

/** Woven samples as the JDK that runs this reads them, in the form of {@link WovenText}. */
final class JdkText {
  /**
   * JDKs convert the times of some chunks by the clock of a neighbour. JFR reads each chunk's two
   * clocks one after the other, and may have no CPU in between: on a busy machine they differ.
   */
  private static final long CLOCK_NANOS = 20_000_000;

  private JdkText() {}

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
      int differences = unmatched(times, wovenTimes);
      try (PrintStream out = new PrintStream(arguments[i + 1], StandardCharsets.UTF_8)) {
        out.println(differences);
        lines.forEach(out::println);
      }
    }
  }

  /** How many of the woven times are of no sample; both are in order. */
  private static int unmatched(List<Instant> times, List<Instant> wovenTimes) {
    int unmatched = 0;
    int next = 0;
    for (Instant woven : wovenTimes) {
      while (next < times.size()
          && Duration.between(times.get(next), woven).toNanos() >= CLOCK_NANOS) {
        next++;
      }
      if (next < times.size()
          && Duration.between(times.get(next), woven).abs().toNanos() < CLOCK_NANOS) {
        next++;
      } else {
        unmatched++;
      }
    }
    return unmatched;
  }

  private static String line(RecordedEvent event) {
    RecordedThread thread = event.getThread("sampledThread");
    StringBuilder line = new StringBuilder();
    // JDK 17 has no such threads, and no such field.
    boolean isVirtual = thread.hasField("virtual") && thread.getBoolean("virtual");
    line.append(isVirtual ? "virtual " : "")
        .append(thread.getLong("osThreadId")) // getOSThreadId() is -1 for virtual ones
        .append(isVirtual ? "/" + Math.max(0, thread.getJavaThreadId()) : "")
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
