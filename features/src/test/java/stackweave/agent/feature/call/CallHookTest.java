package stackweave.agent.feature.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import stackweave.jfr.call.TimedMethods;

/** What {@link CallHook} counts, read through {@link CallSwitch}; in this class's own copy. */
class CallHookTest {
  private static final int THREADS = 4;
  private static final int CALLS = 20_000;
  private static final long NEVER = Long.MAX_VALUE;

  private static int methods;

  private CallSwitch hook;
  private int method;

  @BeforeEach
  void begin() throws Exception {
    hook = new CallSwitch(MethodHandles.privateLookupIn(CallHook.class, MethodHandles.lookup()));
    method = methods++;
  }

  @AfterEach
  void off() {
    hook.off();
  }

  private long[] read() {
    long[] counters = new long[TimedMethods.COUNTERS];
    assertTrue(hook.read(method, counters));
    return counters;
  }

  private static long calls(long[] counters) {
    return Arrays.stream(counters, 0, TimedMethods.BUCKETS).sum();
  }

  @Test
  void theCountersAreThoseThatEventsAreMadeOf() {
    assertEquals(TimedMethods.BUCKETS, CallHook.BUCKETS);
    assertEquals(TimedMethods.TIME, CallHook.TIME);
    assertEquals(TimedMethods.SLOW_CALLS, CallHook.SLOW_CALLS);
    assertEquals(TimedMethods.SLOW_TIME, CallHook.SLOW_TIME);
  }

  @Test
  void nothingIsTimedWhileItIsOffOrTheMethodIsNotSelected() {
    hook.select(method, true, null);
    assertEquals(0, CallHook.begin(method));
    hook.on(NEVER);
    hook.select(method, false, null);
    assertEquals(0, CallHook.begin(method));
    CallHook.end(0, method);
    assertFalse(hook.read(method, new long[TimedMethods.COUNTERS]));
  }

  @Test
  void noCallOfManyThreadsIsLost() throws Exception {
    hook.select(method, true, null);
    hook.on(NEVER);
    Thread[] threads = new Thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
      threads[i] =
          new Thread(
              () -> {
                for (int call = 0; call < CALLS; call++) {
                  CallHook.end(CallHook.begin(method), method);
                }
              });
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(THREADS * CALLS, calls(read()));
  }

  /** The time of the call is chosen by when it is said to have begun. */
  @Test
  void durationsAreCountedByTheirBound() {
    hook.select(method, true, null);
    hook.on(NEVER);
    for (int bucket = 20; bucket < TimedMethods.BUCKETS; bucket++) {
      long bound = TimedMethods.FIRST_BOUND << bucket;
      long before = System.nanoTime();
      CallHook.end(before - bound * 3 / 4, method);
      // On a machine that stopped meanwhile it was longer.
      if (System.nanoTime() - before < bound / 5) {
        assertTrue(read()[bucket] >= 1, "bucket " + bucket);
      }
    }
    CallHook.end(System.nanoTime() - NEVER / 2, method);
    assertTrue(read()[TimedMethods.BUCKETS - 1] >= 1);
    CallHook.end(System.nanoTime() + NEVER / 4, method);
    assertEquals(1, read()[0], "a clock that goes back");
  }

  @Test
  void slowCallsAreWrittenAndThoseThatAreNotAreCountedWithTheOthers() {
    AtomicLong written = new AtomicLong();
    hook.on(0);
    hook.select(method, true, (begin, end) -> written.addAndGet(end - begin));
    CallHook.end(System.nanoTime() - 1_000, method);
    assertEquals(1, read()[TimedMethods.SLOW_CALLS]);
    assertEquals(written.get(), read()[TimedMethods.SLOW_TIME]);
    assertEquals(0, calls(read()));
    hook.select(method, true, (begin, end) -> 0);
    CallHook.end(System.nanoTime() - 1_000, method);
    assertEquals(1, calls(read()));
    hook.select(
        method,
        true,
        (begin, end) -> {
          throw new StackOverflowError();
        });
    CallHook.end(System.nanoTime() - 1_000, method);
    assertEquals(2, calls(read()));
    assertEquals(1, read()[TimedMethods.SLOW_CALLS]);
  }
}
