package stackweave.jfr.export;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import stackweave.jfr.read.SampledRecording;

/**
 * The stacks of an export, to be compared with those of the collapsed format: by line {@code
 * [thread];outermost;…;innermost} the number of samples and their nanoseconds.
 */
public final class ExportedStacks {
  /** The collapsed stacks of all samples, with plain names. */
  public static CollapsedExport collapsed(boolean threads) {
    return new CollapsedExport(
        new CollapsedExport.Options(threads, false, FrameNames.PLAIN), Selection.ALL);
  }

  private final Map<String, Long> counts = new TreeMap<>();
  private final Map<String, Long> nanos = new TreeMap<>();

  /** Adds samples. */
  public void add(String thread, List<String> outermostFirst, long count, long weightNanos) {
    StringBuilder line = new StringBuilder("[" + clean(thread) + "]");
    outermostFirst.forEach(frame -> line.append(';').append(clean(frame)));
    counts.merge(line.toString(), count, Long::sum);
    nanos.merge(line.toString(), weightNanos, Long::sum);
  }

  private static String clean(String name) {
    return name.replace(';', ',');
  }

  public Map<String, Long> counts() {
    return counts;
  }

  public Map<String, Long> nanos() {
    return nanos;
  }

  /** Fails unless these are the stacks that the collapsed format has. */
  public void assertAreThoseOf(SampledRecording recording, Selection selection) throws Exception {
    assertSame(collapsed(recording, selection, false), lines(counts));
    assertSame(collapsed(recording, selection, true), lines(nanos));
  }

  /** The same of formats that have the time only. */
  public void assertNanosAreThoseOf(SampledRecording recording, Selection selection)
      throws Exception {
    assertSame(collapsed(recording, selection, true), lines(nanos));
  }

  public static void assertSame(Map<String, Long> expected, Map<String, Long> actual) {
    assertSame(lines(expected), lines(actual));
  }

  /** Shows only those lines that differ, and not the whole of them. */
  private static void assertSame(String expected, String actual) {
    Set<String> missing = new TreeSet<>(expected.lines().toList());
    Set<String> added = new TreeSet<>(actual.lines().toList());
    Set<String> common = new TreeSet<>(missing);
    common.retainAll(added);
    missing.removeAll(common);
    added.removeAll(common);
    assertEquals(shortened(missing), shortened(added));
    assertEquals(expected.length(), actual.length());
  }

  private static String shortened(Set<String> lines) {
    return lines.stream().map(l -> l.replaceAll("n{9,}", "n..n")).collect(joining("\n"));
  }

  public static String collapsed(SampledRecording recording, Selection selection, boolean total)
      throws Exception {
    StringBuilder text = new StringBuilder();
    new CollapsedExport(new CollapsedExport.Options(true, total, FrameNames.PLAIN), selection)
        .writeText(recording, text);
    return text.toString();
  }

  private static String lines(Map<String, Long> stacks) {
    StringBuilder text = new StringBuilder();
    stacks.forEach((stack, number) -> text.append(stack).append(' ').append(number).append('\n'));
    return text.toString();
  }

  /** What an export writes. */
  public static byte[] bytes(Export<? super SampledRecording> export, SampledRecording recording)
      throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    export.write(recording, out);
    return out.toByteArray();
  }
}
