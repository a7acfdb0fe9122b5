package stackweave.jfr.read.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import one.convert.Arguments;
import one.convert.JfrToFlame;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.choice.SampleChoice;

/**
 * Stacks as jfr-converter has them in its collapsed format, and those of our reader beside them.
 */
final class Converted {
  /** How jfr-converter marks the kinds of frames, as collapsed stacks of async-profiler do. */
  private static final Pattern SUFFIX = Pattern.compile("_\\[[0-9a-z]](;|$)");

  private static final Pattern HIDDEN =
      Pattern.compile("[.+](0x[0-9a-f]+)([./]\\d+)?(?=[.\\[;]|$)");

  private Converted() {}

  /**
   * Asserts that both have the same stacks with the same weights.
   *
   * @param tolerance what a weight may differ by for each sample, as jfr-converter rounds sums
   * @param options of jfr-converter
   * @return how many different stacks there are
   */
  static int assertSame(Path file, SampleChoice choice, int tolerance, String... options)
      throws Exception {
    Map<String, long[]> ours = ours(file, choice);
    Map<String, Long> theirs = theirs(file, options);
    if (List.of(options).contains("--lock")) {
      // What pools wait for work on, which we leave out.
      theirs.keySet().removeIf(stack -> stack.endsWith("Synchronizer$ConditionObject"));
    }
    assertEquals(String.join("\n", theirs.keySet()), String.join("\n", ours.keySet()));
    theirs.forEach(
        (stack, weight) -> {
          long[] own = ours.get(stack);
          assertTrue(Math.abs(weight - own[0]) <= tolerance * own[1], () -> weight + " " + stack);
        });
    return theirs.size();
  }

  /** By stack, weight and number of samples; without those that have no stack. */
  private static Map<String, long[]> ours(Path file, SampleChoice choice) throws Exception {
    Map<String, long[]> stacks = new TreeMap<>();
    SampleText.open(file, choice)
        .forEachStack(
            (thread, end, frames, count, weight) -> {
              if (end.isRead()) {
                List<String> names = new ArrayList<>();
                frames.forEach(frame -> names.add(name(frame)));
                long[] sum = stacks.computeIfAbsent(String.join(";", names), stack -> new long[2]);
                sum[0] += weight;
                sum[1] += count;
              }
            });
    return stacks;
  }

  /** A function without a symbol has its library's path, as async-profiler calls it. */
  private static String name(SampledFrame frame) {
    String name = frame.method().name();
    return !frame.method().className().isEmpty()
        ? frame.method().className() + "." + name
        : name.isEmpty() && frame.method().module() != null ? frame.method().module().path() : name;
  }

  private static Map<String, Long> theirs(Path file, String... options) throws Exception {
    Path out = Files.createTempFile(file.getParent(), "collapsed", ".txt");
    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.addAll(List.of("-o", "collapsed", "--dot", file.toString(), out.toString()));
    JfrToFlame.convert(
        file.toString(), out.toString(), new Arguments(arguments.toArray(String[]::new)));
    Map<String, Long> stacks = new TreeMap<>();
    for (String line : Files.readAllLines(out)) {
      int space = line.lastIndexOf(' ');
      String stack = SUFFIX.matcher(line.substring(0, space)).replaceAll("$1");
      long weight = Long.parseLong(line.substring(space + 1));
      if (weight > 0) {
        stacks.merge(HIDDEN.matcher(stack).replaceAll("/$1"), weight, Long::sum);
      }
    }
    return stacks;
  }
}
