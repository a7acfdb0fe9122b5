package stackweave.agent.drain;

import java.util.Arrays;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import stackweave.agent.attach.Version;
import stackweave.hotspot.model.FrameKind;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.store.SessionInfo;
import stackweave.unwind.StopReason;
import stackweave.unwind.walk.Found;

/** What a recording says of the codes in its events, for readers of other versions. Stateless. */
final class SessionLegend {
  private SessionLegend() {}

  static SessionInfo info() {
    return new SessionInfo(
        Version.current(),
        System.getProperty("os.arch") + "-linux",
        list(FrameKind.values(), kind -> true, kind -> kind.code() + "=" + kind.label()),
        list(StopReason.values(), end -> true, end -> end.code() + "=" + end.label()),
        list(StopReason.values(), StopReason::isComplete, end -> "" + end.code()),
        ThreadState.legend(),
        list(Found.values(), way -> true, way -> way.code() + "=" + way.label()),
        list(Found.values(), Found::isGuess, way -> "" + way.code()));
  }

  private static <T> String list(T[] all, Predicate<T> chosen, Function<T, String> text) {
    return Arrays.stream(all).filter(chosen).map(text).collect(Collectors.joining(","));
  }
}
