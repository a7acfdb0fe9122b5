package stackweave.jfr.export.thread;

import stackweave.jfr.read.SessionFacts;
import stackweave.jfr.read.StackThread;

/**
 * Tells a thread from all others of a recording, whatever it is called: ids of threads are those of
 * a process.
 *
 * @param process what tells the process
 * @param identity of the thread
 */
public record ThreadKey(String process, StackThread identity) {
  /** The key of a thread of a session. */
  public static ThreadKey of(SessionFacts session, StackThread thread) {
    return new ThreadKey(session.uuid(), thread.identity());
  }
}
