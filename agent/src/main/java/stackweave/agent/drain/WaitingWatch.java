package stackweave.agent.drain;

import java.util.function.Supplier;
import stackweave.agent.drain.wall.WaitingPart;

/**
 * One way of telling where threads wait, as {@link DrainThread} drives it: where it fails, it ends,
 * the note says so, and samples of CPU time go on. Not thread-safe.
 */
final class WaitingWatch {
  private final String what;

  /** Null while it isn't done. */
  private WaitingPart part;

  private String note = "";

  /**
   * @param what what is not done if it fails, for people
   */
  WaitingWatch(String what) {
    this.what = what;
  }

  /** Begins, by what returns null if it is not possible. */
  void begin(Supplier<? extends WaitingPart> opener) {
    note = "";
    try {
      part = opener.get();
    } catch (RuntimeException | Error e) {
      failed(e);
    }
  }

  /** What is to know of it, or empty. */
  String note() {
    return part == null ? note : part.note();
  }

  /** Says why it is not done. */
  void say(String whyNot) {
    note = whyNot;
  }

  boolean isOn() {
    return part != null;
  }

  /** How long the drain thread may wait, in ms: at most as long as it would. */
  int waitMillis(int most) {
    return part == null ? most : Math.min(most, part.waitMillis());
  }

  void pass() {
    if (part != null) {
      run(false);
    }
  }

  /** A chunk ends. */
  void flush() {
    if (part != null) {
      run(true);
    }
  }

  private void run(boolean atEndOfChunk) {
    try {
      if (atEndOfChunk) {
        part.flush();
      } else {
        part.pass();
      }
    } catch (RuntimeException | Error e) {
      close();
      failed(e);
    }
  }

  void close() {
    WaitingPart ending = part;
    if (ending != null) {
      note = ending.note();
      part = null;
      try {
        ending.close();
      } catch (RuntimeException | Error e) {
        failed(e);
      }
    }
  }

  private void failed(Throwable e) {
    note = what + ": this failed in the agent (" + e + ")";
  }
}
