package stackweave.engine.perf;

/**
 * Receives what {@link SwitchEvents} has recorded of the threads of this process, in order of time.
 * Times are those of {@link System#nanoTime}. A record may come twice.
 */
public interface SwitchSink {
  /**
   * A thread has left its CPU.
   *
   * @param isPreempted whether it could go on, and lost its CPU to another thread
   */
  void switchedOut(int tid, long timeNanos, boolean isPreempted);

  /** A thread has got a CPU. */
  void switchedIn(int tid, long timeNanos);

  /**
   * A thread is being woken; it gets a CPU later. The running thread or an interrupt wakes it.
   *
   * @param wakerPid the process of the running thread
   * @param wakerTid the running thread
   * @param isInterrupt whether an interrupt, hard or soft, wakes it; then the running thread has
   *     nothing to do with it
   */
  void woken(int tid, long timeNanos, int wakerPid, int wakerTid, boolean isInterrupt);

  /** A thread was started: the previous thread with this id has ended. */
  void started(int tid);

  /** A thread has ended. */
  void ended(int tid);

  /** Records were lost: the state of any thread may be out of date. */
  void lost();
}
