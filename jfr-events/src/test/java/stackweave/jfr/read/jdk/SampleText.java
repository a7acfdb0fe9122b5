package stackweave.jfr.read.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.lang.constant.ClassDesc;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.Sample;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;

/**
 * Samples as lines: time, thread, weight, whether the stack is truncated, then each frame from the
 * innermost with class or library, method, line, bytecode index and type. Of our reader, and of the
 * JDK's.
 */
final class SampleText {
  private static final Pattern HIDDEN = Pattern.compile("[.+](0x[0-9a-f]+)([./]\\d+)?$");

  private SampleText() {}

  /**
   * Asserts that both readers have the same samples, and some.
   *
   * @param events names of those that are chosen
   * @param weight of an event, as the JDK's reader has it
   * @param objectClass the field with the class of an object; empty for none
   */
  static void assertSame(
      Path file,
      SampleChoice choice,
      Set<String> events,
      ToLongFunction<RecordedEvent> weight,
      String objectClass)
      throws Exception {
    List<String> expected = jdks(file, events, weight, objectClass);
    assertFalse(expected.isEmpty(), events::toString);
    List<String> ours = ours(file, choice);
    for (int i = 0; i < Math.min(expected.size(), ours.size()); i++) {
      assertEquals(expected.get(i), ours.get(i));
    }
    assertEquals(expected.size(), ours.size());
  }

  /** What our reader has, sorted. */
  static List<String> ours(Path file, SampleChoice choice) throws Exception {
    List<String> lines = new ArrayList<>();
    open(file, choice).forEachSample(sample -> lines.add(line(sample)));
    Collections.sort(lines);
    return lines;
  }

  static SampledRecording open(Path file, SampleChoice choice) throws Exception {
    return SampledRecording.open(
        file, ReadingProgress.NONE, false, SampledFrame.Change.NONE, choice);
  }

  private static String line(Sample sample) {
    List<String> line = new ArrayList<>();
    line.add(
        head(
            sample.time(),
            sample.thread().name(),
            sample.thread().javaId(),
            sample.thread().isVirtual(),
            sample.weightNanos()));
    line.add(sample.end().label());
    List<SampledFrame> frames = sample.frames();
    for (int i = frames.size() - 1; i >= 0; i--) {
      SampledFrame frame = frames.get(i);
      String owner =
          frame.method().module() != null
              ? frame.method().module().path()
              : frame.method().className();
      line.add(
          frame.kind().equals("class")
              ? frame.method().name()
              : frame(owner, frame.method().name(), frame.line(), frame.offset(), type(frame)));
    }
    return String.join(";", line);
  }

  private static String type(SampledFrame frame) {
    return switch (frame.kind()) {
      case "interpreted" -> "Interpreted";
      case "compiled" -> "JIT compiled";
      case "C1" -> "C1 compiled";
      case "inlined" -> "Inlined";
      case "kernel" -> "Kernel";
      case "native", "native method" -> "Native";
      default -> frame.kind();
    };
  }

  private static String head(
      Instant time, String thread, long javaId, boolean isVirtual, long weight) {
    return time + " " + thread + "/" + javaId + (isVirtual ? " virtual " : " ") + weight;
  }

  private static String frame(
      String owner, String name, int line, long bytecodeIndex, String type) {
    return owner + "." + name + ":" + Math.max(0, line) + "@" + bytecodeIndex + " " + type;
  }

  /**
   * What the JDK's reader has, sorted.
   *
   * @param names of the events
   * @param objectClass the field with the class of an object; empty for none
   */
  static List<String> jdks(
      Path file, Set<String> names, ToLongFunction<RecordedEvent> weight, String objectClass)
      throws IOException {
    List<String> lines = new ArrayList<>();
    try (RecordingFile events = new RecordingFile(file)) {
      while (events.hasMoreEvents()) {
        RecordedEvent event = events.readEvent();
        if (names.contains(event.getEventType().getName())) {
          lines.add(line(event, weight.applyAsLong(event), objectClass));
        }
      }
    }
    Collections.sort(lines);
    return lines;
  }

  private static String line(RecordedEvent event, long weight, String objectClass) {
    List<String> line = new ArrayList<>();
    RecordedThread thread =
        event.hasField("sampledThread") ? event.getThread("sampledThread") : event.getThread();
    line.add(
        thread == null
            ? head(event.getStartTime(), "thread not in recording", 0, false, weight)
            : head(
                event.getStartTime(),
                name(thread),
                Math.max(0, thread.getJavaThreadId()),
                isVirtual(thread),
                weight));
    line.add(
        event.getStackTrace() == null
            ? "no stack was read"
            : event.getStackTrace().isTruncated() ? "truncated" : "complete");
    RecordedClass type = objectClass.isEmpty() ? null : event.getClass(objectClass);
    if (type != null) {
      line.add(typeName(type.getName()));
    }
    if (event.getStackTrace() != null) {
      event.getStackTrace().getFrames().forEach(frame -> line.add(frame(frame)));
    }
    return String.join(";", line);
  }

  private static String name(RecordedThread thread) {
    boolean hasName = thread.getJavaName() != null && !thread.getJavaName().isEmpty();
    String name = hasName ? thread.getJavaName() : thread.getOSName();
    return name == null ? "" : name;
  }

  /** As {@code RecordedThread.isVirtual} of JDK 21 has it. */
  private static boolean isVirtual(RecordedThread thread) {
    return thread.hasField("virtual") && thread.getBoolean("virtual");
  }

  private static String frame(RecordedFrame frame) {
    RecordedMethod method = frame.getMethod();
    String type = frame.getType().equals("C++") ? "Native" : frame.getType();
    String owner = HIDDEN.matcher(method.getType().getName()).replaceFirst("/$1");
    boolean isKernel = type.equals("Kernel");
    // A function without a name has its library's path.
    boolean isPath = type.equals("Native") && method.getName().startsWith("/");
    return frame(
        isKernel ? "" : isPath ? method.getName() : owner,
        isPath ? "" : method.getName(),
        frame.getLineNumber(),
        Math.max(0, frame.getBytecodeIndex()),
        type);
  }

  /** An array's name as in the language: the JDK's reader gives the one of the class file. */
  private static String typeName(String name) {
    int dimensions = name.lastIndexOf('[') + 1;
    if (dimensions == 0) {
      return HIDDEN.matcher(name).replaceFirst("/$1");
    }
    ClassDesc type = ClassDesc.ofDescriptor(name.substring(dimensions).replace('.', '/'));
    String element =
        type.packageName().isEmpty()
            ? type.displayName()
            : type.packageName() + "." + type.displayName();
    return element + "[]".repeat(dimensions);
  }
}
