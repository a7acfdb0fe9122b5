package stackweave.jfr.control;

import java.util.List;
import stackweave.jfr.event.Timespans;

/**
 * Decides which event is sampled for all recordings that ask for samples, since an engine samples
 * only one. An event that a recording names in its settings has precedence over the default of the
 * others, and an earlier request over a later one. The shortest interval that is requested for the
 * event is used. Made by {@link SamplingRule} for each decision.
 */
final class EventRule {
  private final SampledEvent usual;

  /** The first event that a recording names, with its shortest interval; null for none. */
  private SampledEvent named;

  private SamplingRule.Facts namedBy;

  /** The event with the shortest interval of the recordings that name none; null for none. */
  private SampledEvent open;

  private SamplingRule.Facts openBy;

  /** The first name that is no event, used if no event was asked for; null for none. */
  private SampledEvent unknown;

  /**
   * @param usual the event for recordings that name none
   */
  EventRule(SampledEvent usual) {
    this.usual = usual;
  }

  /**
   * Takes a recording's settings into account.
   *
   * @param own its settings of {@code stackweave.NativeSample}
   * @param notes receives what was not understood or is not followed
   * @return whether the recording asks for CPU time, so that its interval is a time
   */
  boolean takes(OwnSettings own, List<String> notes) {
    String event = own.get("event");
    boolean isOpen = Timespans.isDefault(event);
    SampledEvent parsed = isOpen ? usual : SampledEvent.parse(event);
    if (parsed == null) {
      own.recording()
          .note(
              notes,
              "asks for event '%s', which is none of: %s",
              event.strip(),
              SampledEvent.SYNTAX);
      unknown = SampledEvent.unknown(event);
      return false;
    }
    SampledEvent wanted = parsed.isCpu() ? parsed : every(parsed, own, notes);
    if (isOpen) {
      openBy = open == null ? own.recording() : openBy;
      open = shorter(open, wanted);
    } else if (named == null) {
      named = wanted;
      namedBy = own.recording();
    } else if (named.name().equals(wanted.name())) {
      named = shorter(named, wanted);
    } else {
      noteNotBoth(own.recording(), wanted, notes);
    }
    return parsed.isCpu();
  }

  /**
   * The event to sample. If only unknown ones were asked for, the first: CPU time is no substitute.
   */
  SampledEvent decide(List<String> notes) {
    if (named == null) {
      return open == null && unknown != null ? unknown : open;
    }
    if (open == null) {
      return named;
    }
    if (open.name().equals(named.name())) {
      return shorter(named, open);
    }
    noteNotBoth(openBy, open, notes);
    return named;
  }

  private static SampledEvent every(SampledEvent event, OwnSettings own, List<String> notes) {
    SampledEvent every = event.every(own.get("interval"));
    if (every == null) {
      own.recording()
          .noteInstead(
              notes,
              "interval '" + own.get("interval") + "' of event " + event.name(),
              "not " + SampledEvent.INTERVALS,
              event.interval());
      return event;
    }
    return every;
  }

  private static SampledEvent shorter(SampledEvent one, SampledEvent other) {
    return one == null || other.interval() < one.interval() ? other : one;
  }

  private void noteNotBoth(SamplingRule.Facts recording, SampledEvent wanted, List<String> notes) {
    recording.note(
        notes,
        "has no samples of %s while recording %s asks for event %s: one is sampled at a time",
        wanted.name(),
        namedBy.name(),
        named.name());
  }
}
