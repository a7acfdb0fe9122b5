package stackweave.agent.jdk;

import stackweave.hotspot.heap.ThreadObjects;

/** Lists the live platform threads of the sampled JVM. For the drain thread only. */
public interface JavaThreadFinder {
  /**
   * What a thread says of itself in Java.
   *
   * @param id what {@code getId()} gives; 0 if unknown
   * @param isCarrier whether its purpose is to carry virtual threads
   * @param thread null if it is another process's
   */
  record Named(String name, long id, boolean isCarrier, Thread thread) {}

  /** Receives the threads. */
  interface Visitor {
    /**
     * A thread.
     *
     * @param named null if nothing is known but that it is one of the VM's
     * @param stackEnd the first address above its stack, 0 if unknown
     * @param vmThread address of its JavaThread
     */
    void javaThread(int tid, Named named, long stackEnd, long vmThread);
  }

  /**
   * Visits all that have an OS thread.
   *
   * @return false if names that can be had could not be read now
   */
  boolean forEach(Visitor visitor);

  /**
   * The virtual thread of another process that a continuation is of.
   *
   * @param continuation its address in a stack
   * @param nanos when the stack was copied, by {@link System#nanoTime}
   * @return null if that is not certain
   */
  default ThreadObjects.Found virtualThread(long continuation, long nanos) {
    return null;
  }

  /** A note for users about what can't be had; empty for none. */
  default String note() {
    return "";
  }
}
