package stackweave.verify.cold.app;

/** Work that goes on until a moment, by as many threads as there are CPUs. */
public interface Application {

  /**
   * Works on.
   *
   * @param worker the number of the calling thread
   * @param endNanos the moment, as {@link System#nanoTime} says it
   * @return how much was done, in units of its own
   */
  long work(int worker, long endNanos) throws Exception;
}
