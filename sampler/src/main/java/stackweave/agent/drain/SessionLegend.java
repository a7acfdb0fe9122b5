package stackweave.agent.drain;

import java.util.StringJoiner;
import stackweave.agent.attach.Version;
import stackweave.hotspot.model.FrameKind;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.store.SessionInfo;
import stackweave.unwind.StopReason;
import stackweave.unwind.walk.Found;

/** Makes the legends of a recording's codes, for readers of other versions. Stateless. */
final class SessionLegend {
  private SessionLegend() {}

  /** Uses loops, because it is called when sampling starts, and each lambda is one more class. */
  static SessionInfo info() {
    StringJoiner kinds = new StringJoiner(",");
    for (FrameKind kind : FrameKind.values()) {
      kinds.add(kind.code() + "=" + kind.label());
    }
    StringJoiner ends = new StringJoiner(",");
    StringJoiner completeEnds = new StringJoiner(",");
    for (StopReason end : StopReason.values()) {
      ends.add(end.code() + "=" + end.label());
      if (end.isComplete()) {
        completeEnds.add("" + end.code());
      }
    }
    StringJoiner ways = new StringJoiner(",");
    StringJoiner guesses = new StringJoiner(",");
    for (Found way : Found.values()) {
      ways.add(way.code() + "=" + way.label());
      if (way.isGuess()) {
        guesses.add("" + way.code());
      }
    }
    return new SessionInfo(
        Version.current(),
        System.getProperty("os.arch") + "-linux",
        kinds.toString(),
        ends.toString(),
        completeEnds.toString(),
        ThreadState.legend(),
        ways.toString(),
        guesses.toString());
  }
}
