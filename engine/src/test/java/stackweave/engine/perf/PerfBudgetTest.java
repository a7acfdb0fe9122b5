package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import stackweave.engine.EngineRefusal;
import stackweave.engine.EngineRefusal.Reason;
import stackweave.engine.EngineRefusedException;
import stackweave.jfr.control.EngineKind;

/** What inherited events may cost; against the threads of this very JVM. */
class PerfBudgetTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int CPUS = 128;

  private final List<PerfBudget> budgets = new ArrayList<>();

  private PerfBudget budget(long bytes) {
    PerfBudget budget = new PerfBudget(bytes);
    budgets.add(budget);
    return budget;
  }

  @AfterEach
  void closeAll() {
    budgets.forEach(PerfBudget::close);
  }

  /** Events for the threads that this JVM has, and some that may come meanwhile, on CPUS. */
  private long ofThisJvm(double times) {
    return (long) (times * PerfBudget.estimate(budget(1).threads(), CPUS));
  }

  @Test
  void perfBeginsWithinAQuarterOfTheBudget() {
    PerfBudget large = budget(ofThisJvm(5));
    assertDoesNotThrow(() -> large.admit(EngineKind.PERF_THREAD, CPUS, 0));
    PerfBudget small = budget(ofThisJvm(3));
    EngineRefusal refusal =
        assertThrows(
                EngineRefusedException.class, () -> small.admit(EngineKind.PERF_THREAD, CPUS, 0))
            .refusal();
    assertEquals(Reason.KERNEL_MEMORY, refusal.reason());
    assertTrue(
        refusal
            .line()
            .matches("perf-thread: \\d+ threads on 128 CPUs need \\d+ MiB .*perf-memory.*"),
        refusal.line());
    assertFalse(small.isFreeAgain(100 * SECOND), "there are as many threads as before");
  }

  @Test
  void itEndsBeforeTheBudgetIsMet() {
    PerfBudget budget = budget(64L << 20);
    int most = (int) ((64L << 20) / (CPUS * PerfBudget.EVENT_BYTES));
    assertFalse(budget.isMet(most / 3, CPUS));
    assertTrue(budget.isMet(most * 3 / 5, CPUS));
    assertTrue(budget.isMet(most / 3, 2 * CPUS));
  }

  @Test
  void whatWasLeftIsNotTriedAgainAtOnce() {
    PerfBudget budget = budget(64L << 20);
    budget.begun();
    budget.leave(200 * SECOND);
    assertRefusedUntil(budget, 260 * SECOND);
    budget.leave(261 * SECOND);
    assertRefusedUntil(budget, 321 * SECOND);
  }

  private static void assertRefusedUntil(PerfBudget budget, long nanos) {
    assertThrows(
        EngineRefusedException.class,
        () -> budget.admit(EngineKind.PERF_THREAD, 2, nanos - SECOND));
    assertFalse(budget.isFreeAgain(nanos - SECOND));
    assertTrue(budget.isFreeAgain(nanos));
    assertDoesNotThrow(() -> budget.admit(EngineKind.PERF_THREAD, 2, nanos));
    budget.begun();
    assertFalse(budget.isFreeAgain(nanos + 1_000 * SECOND), "it is not refused any more");
  }

  /** As where file descriptors are few. */
  @Test
  void whatIsRefusedForAnotherReasonIsTriedAgainOnceAMinute() {
    PerfBudget budget = budget(64L << 20);
    assertDoesNotThrow(() -> budget.admit(EngineKind.PERF_THREAD, 2, 0));
    assertFalse(budget.isFreeAgain(59 * SECOND));
    assertTrue(budget.isFreeAgain(60 * SECOND));
    assertDoesNotThrow(() -> budget.admit(EngineKind.PERF_THREAD, 2, 60 * SECOND));
    assertFalse(budget.isFreeAgain(119 * SECOND));
    assertTrue(budget.isFreeAgain(120 * SECOND));
  }

  /** A pool may fill; what goes on like that may not. */
  @Test
  void threadsMayNotStartTooOften() {
    PerfBudget budget = budget(ofThisJvm(50));
    ThreadWatch watch = new ThreadWatch(budget, CPUS, 0);
    assertFalse(watch.isTooMuch(300, SECOND));
    assertFalse(watch.isTooMuch(300, 6 * SECOND));
    assertFalse(watch.isTooMuch(900, 7 * SECOND));
    assertFalse(watch.isTooMuch(1_100, 7 * SECOND + 1_000), "it was asked a moment ago");
    assertTrue(watch.isTooMuch(1_100, 8 * SECOND));
    ThreadWatch onTwo = new ThreadWatch(budget, 2, 0);
    assertFalse(onTwo.isTooMuch(10_000, 2 * SECOND), "on 2 CPUs 5,000 a second are nothing");
  }

  /** Threads that start unseen must not take the budget. */
  @Test
  void onManyCpusThreadsAreCountedMoreOften() {
    PerfBudget budget = budget(PerfBudget.DEFAULT_BYTES);
    assertEquals(40, new ThreadWatch(budget, 2, 0).millis());
    assertEquals(7, new ThreadWatch(budget, 16, 0).millis());
    assertEquals(5, new ThreadWatch(budget, CPUS, 0).millis());
  }
}
