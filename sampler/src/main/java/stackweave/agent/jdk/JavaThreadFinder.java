package stackweave.agent.jdk;

/** Lists the live platform threads of the sampled JVM. For the drain thread only. */
public interface JavaThreadFinder {
  /** Receives the threads. */
  interface Visitor {
    /**
     * A thread.
     *
     * @param thread null if it is another process's
     * @param stackEnd the first address above its stack, 0 if unknown
     * @param vmThread address of its JavaThread
     */
    void javaThread(int tid, Thread thread, long stackEnd, long vmThread);
  }

  /** Visits all that have an OS thread. */
  void forEach(Visitor visitor);
}
