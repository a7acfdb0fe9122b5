package stackweave.live.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jdks;
import stackweave.live.support.Jvms;
import stackweave.live.support.Runs;
import stackweave.live.support.Stacks;
import stackweave.live.support.Stacks.Frame;
import stackweave.live.support.Stacks.Sample;
import stackweave.testing.Ended;
import stackweave.testing.FlamePageNames;
import stackweave.testing.Jdk;
import stackweave.testing.Machine;

/**
 * {@code java -jar stackweave-agent.jar …} on one recording of the lab, by the oldest JDK and by
 * the newest.
 */
class CliIT {

  /** TASK_COMM_LEN without its null. */
  private static final int KERNELS_LENGTH = 15;

  @TempDir Path directory;

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void collapsed(Jdk jdk) throws IOException {
    Path recording = Runs.lab(jdk).ended().recording();
    List<Sample> samples = Runs.lab(jdk).stacks().samples();

    Path file = directory.resolve("out.collapsed");
    Ended toFile =
        cli(jdk, "collapsed", recording.toString(), "-o", file.toString()).successfully();
    Ended toOut = cli(jdk, "collapsed", recording.toString()).successfully();
    List<String> lines = Files.readAllLines(file);
    assertEquals(lines, toOut.outLines());
    assertEquals(
        List.of(), toFile.errLines().stream().filter(line -> !Machine.isOfLoad(line)).toList());
    assertEquals(expected(Runs.lab(jdk).stacks(), false), counts(lines));

    List<String> threads =
        cli(jdk, "collapsed", recording.toString(), "--threads").successfully().outLines();
    assertEquals(expected(Runs.lab(jdk).stacks(), true), counts(threads));
    if (Runs.lab(jdk).stacks().status().thinned() == 0) {
      assertEquals(
          samples.size(), counts(threads).values().stream().mapToLong(Long::longValue).sum());
    }
  }

  /** Stack → count; fails on a line that is not {@code frame;frame;… count}, or comes twice. */
  private static Map<String, Long> counts(List<String> lines) {
    Map<String, Long> counts = new HashMap<>();
    for (String line : lines) {
      assertTrue(line.matches("[^;]+(;[^;]+)* [1-9][0-9]*"), () -> "no collapsed stack: " + line);
      int space = line.lastIndexOf(' ');
      Long before = counts.put(line.substring(0, space), Long.valueOf(line.substring(space + 1)));
      assertEquals(null, before, () -> "twice: " + line);
    }
    return counts;
  }

  /**
   * The same from the events themselves: where the machine was too busy for all samples, each of
   * the others counts as many as it stands for.
   */
  private static Map<String, Long> expected(Stacks stacks, boolean threads) {
    Map<String, Long> counts = new HashMap<>();
    Map<String, Long> weights = new HashMap<>();
    Set<String> names = stacks.samples().stream().map(Sample::thread).collect(Collectors.toSet());
    for (Sample sample : stacks.samples()) {
      String stack =
          (threads ? "[" + whole(sample.thread(), names) + "];" : "") + text(stacks, sample);
      counts.merge(stack, 1L, Long::sum);
      weights.merge(stack, sample.weight(), Long::sum);
    }
    if (stacks.status().thinned() > 0) {
      counts.replaceAll(
          (stack, count) -> Math.max(1, (weights.get(stack) + Runs.INTERVAL / 2) / Runs.INTERVAL));
    }
    return counts;
  }

  /** The kernel's name for a thread is cut; it has that until its Java name is known. */
  private static String whole(String name, Set<String> names) {
    return name.length() < KERNELS_LENGTH
        ? name
        : names.stream()
            .filter(longer -> longer.startsWith(name))
            .max(Comparator.comparingInt(String::length))
            .orElse(name);
  }

  private static String text(Stacks stacks, Sample sample) {
    String frames = sample.frames().stream().map(CliIT::text).collect(Collectors.joining(";"));
    String end =
        stacks.isComplete(sample)
            ? ""
            : sample.end().equals("truncated")
                ? "[truncated];"
                : "[stopped: "
                    + sample
                        .end()
                        .replace("too deep", "deeper than depth=" + sample.frames().size())
                    + "];";
    String stack = end + frames;
    return stack.endsWith(";") ? stack.substring(0, stack.length() - 1) : stack;
  }

  private static String text(Frame frame) {
    String text =
        switch (frame.kind()) {
          case "native" ->
              frame.module().isEmpty() || frame.name().startsWith(frame.module() + "+0x")
                  ? frame.name()
                  : frame.module().startsWith("[") // the vdso
                      ? frame.name() + " " + frame.module()
                      : frame.name() + " [" + frame.module() + "]";
          case "kernel" -> frame.name() + " [kernel]";
          default -> frame.qualifiedName();
        };
    return text.replace(';', ',');
  }

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void flamegraph(Jdk jdk) throws IOException {
    Path recording = Runs.lab(Jdks.oldest()).ended().recording();
    List<Sample> samples = Runs.lab(Jdks.oldest()).stacks().samples();
    Path file = directory.resolve("lab.html");
    cli(jdk, "flamegraph", recording.toString(), "-o", file.toString()).successfully();
    String html = Files.readString(file);
    assertTrue(html.contains("[\"Samples\",\"%,d\"]".formatted(samples.size())), "samples");
    Set<String> names = FlamePageNames.of(html);
    for (Sample sample : samples) {
      if (!sample.frames().isEmpty() && sample.innermost().name().equals("lab_callback_leaf")) {
        sample.frames().forEach(frame -> assertTrue(names.contains(text(frame)), text(frame)));
      }
    }
    // Nothing from elsewhere: no file beside it, no network.
    for (String reference :
        List.of(
            "<script[^>]*\\ssrc\\s*=",
            "<link\\b",
            "@import",
            "url\\(\\s*['\"]?(https?:|//)",
            "<img[^>]*\\ssrc\\s*=\\s*['\"]?(?!data:)",
            "\\bfetch\\(",
            "XMLHttpRequest")) {
      assertFalse(
          Pattern.compile(reference).matcher(html).find(),
          () -> "refers to something outside: " + reference);
    }
  }

  private static Ended cli(Jdk jdk, String... arguments) {
    return Jvms.commandLine(jdk, arguments);
  }
}
