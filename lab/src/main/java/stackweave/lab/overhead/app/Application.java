package stackweave.lab.overhead.app;

/** Work of several threads. */
public interface Application {

  /**
   * Works on until there is no unit left.
   *
   * @param worker the number of the calling thread, from 0
   */
  void work(int worker, Units units) throws Exception;

  /** As many threads as there are CPUs, if no other number is asked for. */
  default int threads(int wanted) {
    return wanted == 0 ? Runtime.getRuntime().availableProcessors() : wanted;
  }
}
