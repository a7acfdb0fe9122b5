package stackweave.jfr.export.thread;

import stackweave.jfr.read.SessionFacts;
import stackweave.jfr.read.StackThread;

/**
 * Identifies a thread in a recording, whatever its name: ids of threads are unique within a process
 * only.
 *
 * @param process id of the process
 * @param identity of the thread
 */
public record ThreadKey(String process, StackThread identity) {
  /** The key of a thread of a session. */
  public static ThreadKey of(SessionFacts session, StackThread thread) {
    return new ThreadKey(session.uuid(), thread.identity());
  }
}
