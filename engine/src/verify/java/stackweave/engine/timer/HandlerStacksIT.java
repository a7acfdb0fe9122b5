package stackweave.engine.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.engine.EngineJvm;
import stackweave.engine.StackProbe;
import stackweave.engine.ThreadStack;
import stackweave.engine.timer.stack.NativeStacks;
import stackweave.linux.CallPolicy;
import stackweave.linux.MemoryAccess;
import stackweave.linux.Pthreads;
import stackweave.linux.SystemCalls;
import stackweave.testing.Jdk;

/**
 * The handler copies a thread's own stack and no other: in JVMs of their own, which a handler that
 * reads into a gap would end.
 */
class HandlerStacksIT extends ForeignStacks {
  /** All kinds in one JVM; each in one of its own is in HandlerStacksMoreIT. */
  @ParameterizedTest
  @MethodSource("stackweave.engine.EngineJvm#ends")
  void noStackButTheThreadsOwnIsCopied(Jdk jdk) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(library.toString(), "200"));
    arguments.addAll(FOREIGN);
    arguments.addAll(UNKNOWN);
    arguments.addAll(SMALL);
    arguments.add("supplied_stack");
    EngineJvm.Result result =
        jvm.run(StackProbe.class, jdk, List.of(), arguments.toArray(String[]::new));
    for (String function : FOREIGN) {
      if (isHere(result, function)) {
        assertForeign(counts(result, function));
      }
    }
    for (String function : UNKNOWN) {
      assertUnknown(counts(result, function), function);
    }
    List<String> passedOver = result.line("passed over").lines().toList();
    for (int i = 0; i < SMALL.size(); i++) {
      assertNoSignal(counts(result, SMALL.get(i)), SMALL.get(i));
      int at = FOREIGN.size() + UNKNOWN.size() + i;
      assertEquals("true", passedOver.get(at), result.output());
    }
    assertOwn(counts(result, "supplied_stack"));
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
    List<ThreadStack> found = new ArrayList<>();
    for (int tid : tids) {
      found.add(new ThreadStack(tid, 0, 0));
    }
    try (NativeStacks stacks =
        new NativeStacks(calls, CallPolicy.ofThread(Set.of()), MemoryAccess.AUTO)) {
      assumeTrue(stacks.knowsThreads(), "glibc");
      stacks.find(found);
      for (int i = 0; i < count; i++) {
        assertEquals(selves[i].descriptor() & -16, found.get(i).end());
        // HotSpot has made its guard zone inaccessible, at the very bottom.
        long low = found.get(i).start() - selves[i].stackStart();
        assertTrue(low >= 0 && low <= 128 * 1024, "from " + low);
      }
      assertEquals(0, found.get(count).end());
      // Of a former thread of the same id, the VM may have told another stack.
      long end = found.get(0).end();
      found.get(0).set(found.get(1).start(), found.get(1).end());
      stacks.find(found.subList(0, 1));
      assertEquals(end, found.get(0).end());
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

  private static boolean isHere(EngineJvm.Result result, String function) {
    return !result.line(function).startsWith("not here");
  }
}
