package stackweave.testing;

import org.opentest4j.TestAbortedException;

/** How a test is skipped to which the machine gives too little CPU time. Stateless. */
public final class Starved {
  /** How the message of such a test begins; {@link Totals} counts these. */
  public static final String STARVED = "skipped: starved: ";

  private Starved() {}

  /**
   * To be thrown by the test.
   *
   * @param figure what the machine gave, and what it did not
   */
  public static TestAbortedException because(String figure) {
    return new TestAbortedException(STARVED + figure);
  }
}
