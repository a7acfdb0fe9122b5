package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import stackweave.engine.EngineRefusal;
import stackweave.engine.EngineRefusal.Reason;
import stackweave.engine.EngineRefusedException;
import stackweave.jfr.control.EngineKind;

/** What inherited events may cost; against the threads of this very JVM. */
class PerfBudgetTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int CPUS = 128;

  /** Events for the threads that this JVM has, and some that may come meanwhile, on CPUS. */
  private static long ofThisJvm(double times) {
    try (PerfBudget any = new PerfBudget(1)) {
      return (long) (times * PerfBudget.estimate(any.threads(), CPUS));
    }
  }

  @Test
  void perfBeginsWithinAQuarterOfTheBudget() {
    try (PerfBudget budget = new PerfBudget(ofThisJvm(5))) {
      assertDoesNotThrow(() -> budget.admit(EngineKind.PERF_THREAD, CPUS, 0));
    }
    try (PerfBudget budget = new PerfBudget(ofThisJvm(3))) {
      EngineRefusal refusal =
          assertThrows(
                  EngineRefusedException.class, () -> budget.admit(EngineKind.PERF_THREAD, CPUS, 0))
              .refusal();
      assertEquals(Reason.KERNEL_MEMORY, refusal.reason());
      assertTrue(
          refusal
              .line()
              .matches("perf-thread: \\d+ threads on 128 CPUs need \\d+ MiB .*perf-memory.*"),
          refusal.line());
      assertFalse(budget.isFreeAgain(SECOND), "there are as many threads as before");
    }
  }

  @Test
  void itEndsBeforeTheBudgetIsMet() {
    try (PerfBudget budget = new PerfBudget(64L << 20)) {
      int most = (int) ((64L << 20) / (CPUS * PerfBudget.EVENT_BYTES));
      assertFalse(budget.isMet(most / 3, CPUS));
      assertTrue(budget.isMet(most * 3 / 5, CPUS));
      assertTrue(budget.isMet(most / 3, 2 * CPUS));
    }
  }

  /** Each time that it is left soon after it came back, twice as long. */
  @Test
  void whatWasLeftIsNotTriedAgainAtOnce() {
    try (PerfBudget budget = new PerfBudget(64L << 20)) {
      budget.begun(0);
      budget.leave(200 * SECOND);
      assertRefusedUntil(budget, 210 * SECOND);
      budget.leave(211 * SECOND);
      assertRefusedUntil(budget, 231 * SECOND);
      budget.leave(1_000 * SECOND);
      assertRefusedUntil(budget, 1_010 * SECOND);
    }
  }

  private static void assertRefusedUntil(PerfBudget budget, long nanos) {
    assertThrows(
        EngineRefusedException.class,
        () -> budget.admit(EngineKind.PERF_THREAD, 2, nanos - SECOND));
    assertFalse(budget.isFreeAgain(nanos - SECOND));
    assertTrue(budget.isFreeAgain(nanos));
    assertDoesNotThrow(() -> budget.admit(EngineKind.PERF_THREAD, 2, nanos));
    budget.begun(nanos);
    assertFalse(budget.isFreeAgain(nanos + 1_000 * SECOND), "it is not refused any more");
  }

  /** Where something else refuses it, such as file descriptors, it is tried less and less often. */
  @Test
  void whatIsRefusedForAnotherReasonIsTriedLessAndLessOften() {
    try (PerfBudget budget = new PerfBudget(64L << 20)) {
      assertDoesNotThrow(() -> budget.admit(EngineKind.PERF_THREAD, 2, 0));
      assertFalse(budget.isFreeAgain(9 * SECOND));
      assertTrue(budget.isFreeAgain(10 * SECOND));
      assertDoesNotThrow(() -> budget.admit(EngineKind.PERF_THREAD, 2, 10 * SECOND));
      assertFalse(budget.isFreeAgain(29 * SECOND));
      assertTrue(budget.isFreeAgain(30 * SECOND));
    }
  }

  /** A pool may fill; what goes on like that may not. */
  @Test
  void threadsMayNotStartTooOften() {
    PerfStarts starts = new PerfStarts(0);
    assertFalse(starts.areTooMany(300, CPUS, SECOND));
    assertFalse(starts.areTooMany(300, CPUS, 6 * SECOND));
    assertFalse(starts.areTooMany(900, CPUS, 7 * SECOND));
    assertTrue(starts.areTooMany(1_100, CPUS, 8 * SECOND));
    PerfStarts onTwo = new PerfStarts(0);
    assertFalse(onTwo.areTooMany(10_000, 2, 2 * SECOND), "on 2 CPUs 5,000 a second are nothing");
  }
}
