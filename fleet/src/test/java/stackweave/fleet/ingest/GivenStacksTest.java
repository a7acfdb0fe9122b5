package stackweave.fleet.ingest;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** A stack gets a row if no recording that counts has given it one with as many names. */
class GivenStacksTest {
  private final GivenStacks given = new GivenStacks();

  @Test
  void onceInARecordingAndInAllThatFollow() {
    assertTrue(given.isNew("a", 3));
    assertFalse(given.isNew("a", 3));
    given.keep();
    assertFalse(given.isNew("a", 3));
    assertTrue(given.isNew("b", 0));
  }

  @Test
  void againWithMoreNames() {
    assertTrue(given.isNew("a", 1));
    given.keep();
    assertTrue(given.isNew("a", 2));
    assertFalse(given.isNew("a", 1));
    given.keep();
    assertFalse(given.isNew("a", 2));
  }

  @Test
  void againAfterARecordingThatIsRejected() {
    assertTrue(given.isNew("a", 2));
    given.keep();
    assertTrue(given.isNew("a", 3));
    assertTrue(given.isNew("b", 1));
    given.drop();
    assertTrue(given.isNew("a", 3));
    assertTrue(given.isNew("b", 1));
  }
}
