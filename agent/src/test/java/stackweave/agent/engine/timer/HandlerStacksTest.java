package stackweave.agent.engine.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.engine.EngineJvm;
import stackweave.agent.engine.StackProbe;
import stackweave.agent.engine.timer.stack.NativeStacks;
import stackweave.agent.linux.CallPolicy;
import stackweave.agent.linux.MemoryAccess;
import stackweave.agent.linux.Pthreads;
import stackweave.agent.linux.SystemCalls;
import stackweave.testing.Gcc;
import stackweave.testing.Jdk;

/**
 * The handler copies a thread's own stack and no other: in JVMs of their own, which a handler that
 * reads into a gap would end.
 */
@Tag("slow")
class HandlerStacksTest {
  private static final Pattern COUNTS =
      Pattern.compile(
          "result (\\d+), there (\\d+) with and (\\d+) without,"
              + " elsewhere (\\d+) with and (\\d+) without stack");

  @TempDir static Path directory;
  private static EngineJvm jvm;
  private static Path library;

  @BeforeAll
  static void compile() throws Exception {
    jvm = new EngineJvm(directory);
    library = Gcc.compile(directory, "stacks.c", "stacks.so", "-shared", "-fPIC", "-pthread");
  }

  static List<Object[]> jdksAndForeignStacks() {
    List<Object[]> cases = new ArrayList<>();
    for (Jdk jdk : EngineJvm.jdks()) {
      for (String function :
          List.of(
              "coroutine_in_the_pool",
              "coroutine_below_the_stack",
              "coroutine_below_a_guard",
              "coroutine_of_the_caller",
              "signal_stack")) {
        cases.add(new Object[] {jdk, function});
      }
    }
    return cases;
  }

  static List<Jdk> jdks() {
    return EngineJvm.jdks();
  }

  /** Samples by whether they were taken where the function says, and have a stack. */
  private static int[] run(Jdk jdk, String function) throws Exception {
    return counts(probe(jdk, function), function);
  }

  private static EngineJvm.Result probe(Jdk jdk, String function) throws Exception {
    return jvm.run(StackProbe.class, jdk, List.of(), library.toString(), "400", function);
  }

  private static int[] counts(EngineJvm.Result result, String function) {
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

  /** Of the thread's own stack there is a copy, of the other one none. */
  @ParameterizedTest
  @MethodSource("jdksAndForeignStacks")
  void aStackThatIsNotTheThreadsOwnIsNotCopied(Jdk jdk, String function) throws Exception {
    int[] counts = run(jdk, function);
    assertEquals(0, counts[1], "there, with stack");
    assertTrue(counts[2] > 2, "there, without: " + counts[2]);
    assertTrue(counts[3] > 0, "at home, with stack: " + counts[3]);
  }

  @ParameterizedTest
  @MethodSource("jdks")
  void aStackThatTheCallerSuppliedIsTheThreadsOwn(Jdk jdk) throws Exception {
    int[] counts = run(jdk, "supplied_stack");
    assertTrue(counts[1] > 2, "with stack: " + counts[1]);
    assertEquals(0, counts[2] + counts[4], "without");
  }

  /**
   * The kernel writes the signal's frame below sp, whatever is there: into the guard, or beyond.
   */
  @ParameterizedTest
  @MethodSource("jdks")
  void aThreadWithASmallStackGetsNoSignal(Jdk jdk) throws Exception {
    for (String function : List.of("small_stack", "small_supplied_stack")) {
      EngineJvm.Result result = probe(jdk, function);
      int[] counts = counts(result, function);
      assertEquals(0, counts[1] + counts[2] + counts[3] + counts[4], function);
      assertEquals("true", result.line("passed over"), result.output());
    }
  }

  /** Of memory that may go, and of threads that the C library does not know: registers only. */
  @ParameterizedTest
  @MethodSource("jdks")
  void whatIsNotKnownForCertainIsNotCopied(Jdk jdk) throws Exception {
    for (String function : List.of("stack_in_a_file", "raw_thread")) {
      int[] counts = run(jdk, function);
      assertEquals(0, counts[1] + counts[3], function + ", with stack");
      assertTrue(counts[2] > 0, function + ", without: " + counts[2]);
    }
  }

  /** Compared with what each thread says of itself. */
  @Test
  void stacksAreThoseThatTheThreadsTell() throws Exception {
    SystemCalls calls = SystemCalls.current().orElseThrow();
    int count = 5;
    Pthreads.Self[] selves = new Pthreads.Self[count];
    int[] tids = new int[count + 1];
    CountDownLatch told = new CountDownLatch(count);
    CountDownLatch done = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = i;
      Thread thread =
          new Thread(
              null,
              () -> {
                selves[number] = Pthreads.self();
                tids[number] = calls.gettid();
                told.countDown();
                awaitQuietly(done);
              },
              "told " + i,
              (256L + 100 * i) * 1024);
      threads.add(thread);
      thread.start();
    }
    told.await();
    tids[count] = Integer.MAX_VALUE; // none
    long[] starts = new long[count + 1];
    long[] ends = new long[count + 1];
    try (NativeStacks stacks =
        new NativeStacks(calls, CallPolicy.ofThread(Set.of()), MemoryAccess.AUTO)) {
      assumeTrue(stacks.knowsThreads(), "glibc");
      stacks.find(tids, count + 1, starts, ends);
      for (int i = 0; i < count; i++) {
        assertEquals(selves[i].descriptor() & -16, ends[i]);
        // HotSpot has made its guard zone inaccessible, at the very bottom.
        long low = starts[i] - selves[i].stackStart();
        assertTrue(low >= 0 && low <= 128 * 1024, "from " + low);
      }
      assertEquals(0, ends[count]);
      // Of a former thread of the same id, the VM may have told another stack.
      starts[0] = starts[1];
      long end = ends[0];
      ends[0] = ends[1];
      stacks.find(tids, 1, starts, ends);
      assertEquals(end, ends[0]);
    } finally {
      done.countDown();
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
