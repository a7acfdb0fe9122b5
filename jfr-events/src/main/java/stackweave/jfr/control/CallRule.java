package stackweave.jfr.control;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import stackweave.jfr.call.CallPatterns;
import stackweave.jfr.call.NativeCall;
import stackweave.jfr.event.Timespans;

/**
 * Decides which recordings ask for native calls, from their own settings, as {@link SamplingRule}
 * does for samples: those that name {@code stackweave.NativeCall} other than to disable it, and
 * those that a person started and that don't name it. Used by {@link SamplingControl}.
 */
final class CallRule {
  private final boolean explicitOnly;

  /** Null if no methods are timed. */
  private volatile CallListener listener;

  CallRule(boolean explicitOnly) {
    this.explicitOnly = explicitOnly;
  }

  /** Sets the listener that {@link #look} calls. */
  void tell(CallListener listener) {
    this.listener = listener;
  }

  /** Whether there is a listener. */
  boolean isOn() {
    return listener != null;
  }

  /**
   * Tells the listener what the running recordings ask for.
   *
   * @param notes receives what was not understood, one line each
   */
  void look(List<SamplingRule.Facts> running, List<String> notes) {
    CallListener told = listener;
    CallRequest request = decide(running, told != null, notes);
    if (told != null) {
      told.onCalls(request);
    }
  }

  /** Whether the listener has something to say for users. */
  boolean hasNotes() {
    CallListener told = listener;
    return told != null && told.hasNotes();
  }

  /** What the listener has to say for users. */
  List<String> takeNotes() {
    CallListener told = listener;
    return told == null ? List.of() : told.takeNotes();
  }

  /**
   * What the recordings ask for; null for nothing.
   *
   * @param timed whether there are methods that are timed
   */
  CallRequest decide(List<SamplingRule.Facts> running, boolean timed, List<String> notes) {
    List<CallPatterns> filters = new ArrayList<>();
    long threshold = Long.MAX_VALUE;
    for (SamplingRule.Facts recording : running) {
      OwnSettings own = own(recording);
      if (!timed) {
        if (own.isAskedFor()) {
          recording.note(
              notes,
              "asks for %s, but no native method is timed: that needs -javaagent with the option"
                  + " calls",
              NativeCall.NAME);
        }
      } else if (asks(own)) {
        own.noteUnknown(notes);
        filters.add(filter(own, notes));
        threshold = Math.min(threshold, threshold(own, notes));
      }
    }
    return filters.isEmpty() ? null : new CallRequest(filters, threshold);
  }

  /**
   * The threshold with which the event has to be enabled in a recording that asks for it: JFR
   * disables an event whose settings lack {@code enabled} once a second recording names it. Empty
   * if the settings are complete, or the recording does not ask.
   */
  OptionalLong leavesOpen(SamplingRule.Facts recording) {
    OwnSettings own = own(recording);
    return !isOn() || own.isComplete(true) || !asks(own)
        ? OptionalLong.empty()
        : OptionalLong.of(threshold(own, new ArrayList<>()));
  }

  private boolean asks(OwnSettings own) {
    return own.isEmpty() ? !explicitOnly && own.recording().isStartedByPerson() : !own.isDisabled();
  }

  private static OwnSettings own(SamplingRule.Facts recording) {
    return OwnSettings.of(recording, NativeCall.NAME, EventIds.NONE);
  }

  private static CallPatterns filter(OwnSettings own, List<String> notes) {
    CallPatterns all = CallPatterns.parse(CallPatterns.ALL);
    String text = own.get("filter");
    CallPatterns parsed = Timespans.isDefault(text) ? all : CallPatterns.parse(text);
    if (parsed == null) {
      own.recording()
          .note(
              notes,
              "asks for filter '%s' of %s, which is not %s; all timed methods are recorded",
              text,
              NativeCall.NAME,
              CallPatterns.SYNTAX);
      return all;
    }
    return parsed;
  }

  private static long threshold(OwnSettings own, List<String> notes) {
    String text = own.get("threshold");
    if (text != null && text.strip().matches("0( ?[a-z]+)?")) {
      return 0; // as in JFR: all calls
    }
    OptionalLong nanos = Timespans.parse(text == null ? NativeCall.DEFAULT_THRESHOLD : text);
    if (nanos.isEmpty()) {
      own.recording()
          .noteInstead(
              notes,
              "threshold '" + text + "' of " + NativeCall.NAME,
              "not a time such as 10ms",
              NativeCall.DEFAULT_THRESHOLD);
      return Timespans.parse(NativeCall.DEFAULT_THRESHOLD).getAsLong();
    }
    return nanos.getAsLong();
  }
}
