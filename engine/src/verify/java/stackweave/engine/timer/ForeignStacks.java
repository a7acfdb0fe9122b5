package stackweave.engine.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import stackweave.engine.EngineJvm;
import stackweave.engine.StackProbe;
import stackweave.testing.Gcc;
import stackweave.testing.Jdk;

/** Stacks in JVMs of their own. */
abstract class ForeignStacks {
  static final Pattern COUNTS =
      Pattern.compile(
          "result (\\d+), there (\\d+) with and (\\d+) without,"
              + " elsewhere (\\d+) with and (\\d+) without stack");

  static final List<String> FOREIGN =
      List.of(
          "coroutine_in_the_pool",
          "coroutine_below_the_stack",
          "coroutine_below_a_guard",
          "coroutine_of_the_caller",
          "signal_stack");

  /** Memory that may go, and threads that the C library does not know. */
  static final List<String> UNKNOWN = List.of("stack_in_a_file", "raw_thread");

  static final List<String> SMALL = List.of("small_stack", "small_supplied_stack");

  @TempDir static Path directory;
  static EngineJvm jvm;
  static Path library;

  @BeforeAll
  static void compile() throws Exception {
    jvm = new EngineJvm(directory);
    library = Gcc.compile(directory, "stacks.c", "stacks.so", "-shared", "-fPIC", "-pthread");
  }

  static List<Jdk> jdks() {
    return EngineJvm.jdks();
  }

  /** Samples by whether they were taken where the function says, and have a stack. */
  static int[] run(Jdk jdk, String function) throws Exception {
    return counts(probe(jdk, function), function);
  }

  static EngineJvm.Result probe(Jdk jdk, String function) throws Exception {
    return jvm.run(StackProbe.class, jdk, List.of(), library.toString(), "400", function);
  }

  static int[] counts(EngineJvm.Result result, String function) {
    assertEquals(0, result.exit(), result.output());
    String line = result.line(function);
    assumeTrue(!line.startsWith("not here"), () -> function + ": " + line);
    Matcher matcher = COUNTS.matcher(line);
    assertTrue(matcher.matches(), result.output());
    int[] counts = new int[5];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = Integer.parseInt(matcher.group(i + 1));
    }
    assertEquals(0, counts[0], result.output());
    return counts;
  }

  static void assertForeign(int[] counts) {
    assertEquals(0, counts[1], "there, with stack");
    assertTrue(counts[2] > 2, "there, without: " + counts[2]);
    assertTrue(counts[3] > 0, "at home, with stack: " + counts[3]);
  }

  static void assertUnknown(int[] counts, String function) {
    assertEquals(0, counts[1] + counts[3], function + ", with stack");
    assertTrue(counts[2] > 0, function + ", without: " + counts[2]);
  }

  static void assertNoSignal(int[] counts, String function) {
    assertEquals(0, counts[1] + counts[2] + counts[3] + counts[4], function);
  }

  static void assertOwn(int[] counts) {
    assertTrue(counts[1] > 2, "with stack: " + counts[1]);
    assertEquals(0, counts[2] + counts[4], "without");
  }
}
