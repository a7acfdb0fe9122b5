package stackweave.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Expected values are exact sums of binomial terms in rational numbers (Python's fractions). */
class PromiseTest {

  @ParameterizedTest
  @CsvSource({"0.01,100,8", "0.015,300,17", "0.5,20,19", "0.001,10000,28", "0.1,1,1", "0,50,0"})
  void theBoundIsTheLeastCountThatIsRareEnough(double share, int of, int bound) {
    assertEquals(bound, Promise.bound(share, of));
    Promise.atMost("hits", share, bound, of);
    if (bound < of) {
      assertThrows(
          AssertionError.class, () -> Promise.atMost("hits", share, bound + 1, of), "one more");
    }
  }

  @Test
  void aShareThatIsNoticedIsNoticed() {
    // Of 100 with 15.18 % each, more than 9 come with a probability of 0.95.
    double noticed = Promise.noticed(9, 100);
    assertEquals(0.151795, noticed, 1e-5);
  }

  @Test
  void nothingCountedIsNoPromiseKept() {
    assertThrows(AssertionError.class, () -> Promise.atLeast("stacks", 0.99, 0, 0));
  }

  @Test
  void sharesAndCountsHaveTwoSides() {
    Promise.share("of a thread", 0.25, 0, 250, 1000);
    assertThrows(AssertionError.class, () -> Promise.share("of a thread", 0.25, 0, 330, 1000));
    assertThrows(AssertionError.class, () -> Promise.share("of a thread", 0.25, 0, 170, 1000));
    Promise.share("of a thread", 0.25, 0.05, 310, 1000);
    Promise.count("samples", 100, 0, 100);
    assertThrows(AssertionError.class, () -> Promise.count("samples", 100, 0, 160));
    assertThrows(AssertionError.class, () -> Promise.count("samples", 100, 0, 50));
  }
}
