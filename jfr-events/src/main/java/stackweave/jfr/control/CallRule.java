package stackweave.jfr.control;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

  /** Whom {@link #look} tells. */
  void tell(CallListener listener) {
    this.listener = listener;
  }

  /** Whether anybody is told. */
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
      Map<String, String> own = own(recording);
      if (!timed) {
        if (!own.isEmpty() && !SamplingRule.isDisabled(own)) {
          notes.add(
              "recording "
                  + recording.name()
                  + " asks for "
                  + NativeCall.NAME
                  + ", but no native method is timed: that needs -javaagent with the option calls");
        }
        continue;
      }
      if (asks(recording, own)) {
        SamplingRule.noteUnknown(recording, NativeCall.NAME, own, notes);
        filters.add(filter(own.get("filter"), recording.name(), notes));
        threshold = Math.min(threshold, threshold(own, recording.name(), notes));
      }
    }
    return filters.isEmpty() ? null : new CallRequest(filters, threshold);
  }

  /**
   * The threshold with which the event has to be enabled in a recording that asks for it: JFR takes
   * an event whose settings lack {@code enabled} for disabled once a second recording names it.
   * Empty if it is complete, or does not ask.
   */
  OptionalLong leavesOpen(SamplingRule.Facts recording) {
    Map<String, String> own = own(recording);
    boolean isComplete = own.containsKey("enabled") && own.containsKey("threshold");
    if (!isOn() || isComplete || !asks(recording, own)) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(threshold(own, recording.name(), new ArrayList<>()));
  }

  private boolean asks(SamplingRule.Facts recording, Map<String, String> own) {
    return own.isEmpty()
        ? !explicitOnly && recording.isStartedByPerson()
        : !SamplingRule.isDisabled(own);
  }

  private static Map<String, String> own(SamplingRule.Facts recording) {
    return SamplingRule.settingsOf(NativeCall.NAME, EventIds.NONE, recording.settings());
  }

  private static CallPatterns filter(String text, String recording, List<String> notes) {
    CallPatterns all = CallPatterns.parse(CallPatterns.ALL);
    if (Timespans.isDefault(text)) {
      return all;
    }
    CallPatterns parsed = CallPatterns.parse(text);
    if (parsed == null) {
      notes.add(
          "recording "
              + recording
              + " asks for filter '"
              + text
              + "' of "
              + NativeCall.NAME
              + ", which is not "
              + CallPatterns.SYNTAX
              + "; all timed methods are recorded");
      return all;
    }
    return parsed;
  }

  private static long threshold(Map<String, String> own, String recording, List<String> notes) {
    long usual = Timespans.parse(NativeCall.DEFAULT_THRESHOLD).getAsLong();
    String text = own.get("threshold");
    if (text == null) {
      return usual;
    }
    if (text.strip().matches("0( ?[a-z]+)?")) {
      return 0; // as JFR has it: all
    }
    OptionalLong nanos = Timespans.parse(text);
    if (nanos.isEmpty()) {
      notes.add(
          SamplingRule.insteadOf(
              recording,
              "threshold '" + text + "' of " + NativeCall.NAME,
              "not a time such as 10ms",
              NativeCall.DEFAULT_THRESHOLD));
    }
    return nanos.orElse(usual);
  }
}
