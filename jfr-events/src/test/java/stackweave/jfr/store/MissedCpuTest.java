package stackweave.jfr.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import stackweave.jfr.process.SampledProcess;

/** Each CPU time is missed once, and stated once. */
class MissedCpuTest {
  private final MissedCpu missed = new MissedCpu();

  @Test
  void fromTheAskToTheEngineWithoutTheAgentsOwn() {
    missed.begin(1_000, 0);
    assertEquals(700, missed.total(2_000, 300));
    missed.end(2_500, 300);
    assertEquals(1_200, missed.total(9_000, 400));
  }

  @Test
  void fromOneEngineToTheNext() {
    missed.begin(1_000, 0);
    missed.end(1_500, 100);
    missed.begin(3_000, 200);
    missed.begin(3_500, 200); // asked anew meanwhile: it is missed already
    missed.end(4_000, 250);
    assertEquals(400 + 950, missed.total(9_000, 900));
  }

  @Test
  void whatIsUsedForNobodyIsNotMissed() {
    missed.begin(1_000, 0);
    missed.stated(missed.total(3_000, 0));
    missed.forget();
    missed.begin(10_000, 0);
    missed.end(10_500, 0);
    assertEquals(2_500, missed.total(20_000, 0));
  }

  @Test
  void whatTheWatchStatesIsNotStatedAgain() {
    missed.begin(1_000, 0);
    assertEquals(2_000, missed.take(3_000));
    assertEquals(500, missed.take(3_500));
    missed.end(4_000, 300);
    assertEquals(500, missed.total(9_000, 900));
    assertEquals(0, missed.take(9_000));
  }

  @Test
  void whatWasStatedTheWatchDoesNotTake() {
    missed.begin(1_000, 0);
    missed.stated(missed.total(3_000, 0));
    assertEquals(1_000, missed.take(4_000));
    assertEquals(2_100, missed.total(4_100, 0));
  }

  @Test
  void aTimeThatCantBeToldChangesNothing() {
    missed.begin(SampledProcess.UNKNOWN, 0);
    assertEquals(0, missed.take(4_000));
    missed.begin(5_000, 0);
    assertEquals(0, missed.total(SampledProcess.UNKNOWN, 0));
    missed.end(6_000, 0);
    assertEquals(1_000, missed.total(SampledProcess.UNKNOWN, 0));
  }
}
