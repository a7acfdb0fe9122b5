package stackweave.engine.perf;

/**
 * Receives what {@link SwitchEvents} has recorded of the threads of this process, in order of time.
 * Times are those of {@link System#nanoTime}. A record may come twice.
 */
public interface SwitchSink {
  /**
   * A thread has left its CPU.
   *
   * @param isPreempted whether it could go on, and has only lost its CPU to another
   */
  void switchedOut(int tid, long timeNanos, boolean isPreempted);

  /** A thread has got a CPU. */
  void switchedIn(int tid, long timeNanos);

  /**
   * A thread is being woken; it gets a CPU later. What wakes it is the thread that runs, or an
   * interrupt.
   *
   * @param wakerPid the process of the thread that runs
   * @param wakerTid that thread
   * @param isInterrupt whether an interrupt, hard or soft, wakes it: whose thread runs is chance
   */
  void woken(int tid, long timeNanos, int wakerPid, int wakerTid, boolean isInterrupt);

  /** A thread was started: whoever had this id before is gone. */
  void started(int tid);

  /** A thread has ended. */
  void ended(int tid);

  /** Records were lost: what is known of any thread may be out of date. */
  void lost();
}
