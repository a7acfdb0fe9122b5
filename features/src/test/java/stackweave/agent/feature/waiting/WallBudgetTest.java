package stackweave.agent.feature.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class WallBudgetTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void inTheLongRunItIsAFifthOfTheDrainThreadsShare() {
    WallBudget budget = new WallBudget(10, 0);
    budget.used(WallBudget.START_NANOS);
    long used = 0;
    long now = 0;
    for (int i = 0; i < 10_000; i++) {
      now += 10_000_000;
      budget.begin(now);
      if (budget.credit() > 0) {
        budget.used(1_000_000);
        used += 1_000_000;
      }
    }
    assertEquals(0.02, (double) used / now, 0.0005);
    assertTrue(budget.limit().contains(" 2.0 % of a core"), budget.limit());
  }

  @Test
  void littleIsSavedUpAndLittleIsOwed() {
    WallBudget budget = new WallBudget(10, 0);
    budget.used(WallBudget.START_NANOS);
    budget.begin(3_600 * SECOND);
    assertEquals(20_000_000, budget.credit());
    budget.used(60 * SECOND);
    budget.begin(3_603 * SECOND);
    assertTrue(budget.credit() > 0, "repaid within three seconds");
  }

  @Test
  void aDebtLastsUntilItIsRepaid() {
    WallBudget budget = new WallBudget(10, 0);
    assertEquals(0, budget.nanosInDebt());
    budget.used(WallBudget.START_NANOS + 5_000_000);
    long debt = budget.nanosInDebt();
    assertEquals(SECOND / 4, debt, 1_000);
    budget.begin(debt - 1_000_000);
    assertTrue(budget.nanosInDebt() > 0);
    budget.begin(debt + 1_000);
    assertEquals(0, budget.nanosInDebt());
  }
}
