package stackweave.samples.work;

/**
 * A piece of work that always comes to the same result: whoever runs it, under whatever agent, can
 * compare.
 */
public interface Round {

  /**
   * Works for some milliseconds of CPU time.
   *
   * @return the checksum of the work, the same each time
   */
  long run();
}
