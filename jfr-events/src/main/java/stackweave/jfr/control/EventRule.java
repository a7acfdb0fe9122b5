package stackweave.jfr.control;

import java.util.List;

/**
 * Decides which event is sampled for all recordings that ask for samples, since an engine samples
 * one: what a recording names in its settings comes before what others leave open, and what was
 * asked for first before the rest. Of one event the shortest interval is used. Made by {@link
 * SamplingRule} for each decision.
 */
final class EventRule {
  private final SampledEvent usual;

  /** The first that a recording names, with its shortest interval; null for none. */
  private SampledEvent named;

  private String namedBy;

  /** Of the recordings that leave it open, the shortest; null for none. */
  private SampledEvent open;

  private String openBy;

  /** What is no event, if nothing else was asked for; null for none. */
  private SampledEvent unknown;

  /**
   * @param usual for recordings that don't say what is sampled
   */
  EventRule(SampledEvent usual) {
    this.usual = usual;
  }

  /**
   * Takes a recording's settings into account.
   *
   * @param event its setting {@code event}; null for none
   * @param interval its setting {@code interval}; null for none
   * @param notes receives what was not understood or is not followed
   * @return whether the recording asks for CPU time, so that its interval is a time
   */
  boolean takes(String event, String interval, String recording, List<String> notes) {
    boolean isOpen = event == null || event.strip().equals("default");
    SampledEvent parsed = isOpen ? usual : SampledEvent.parse(event);
    if (parsed == null) {
      notes.add(
          "recording "
              + recording
              + " asks for event '"
              + event.strip()
              + "', which is none of: "
              + SampledEvent.SYNTAX);
      unknown = SampledEvent.unknown(event);
      return false;
    }
    SampledEvent wanted = parsed.isCpu() ? parsed : every(parsed, interval, recording, notes);
    if (isOpen) {
      openBy = open == null ? recording : openBy;
      open = shorter(open, wanted);
    } else if (named == null) {
      named = wanted;
      namedBy = recording;
    } else if (named.name().equals(wanted.name())) {
      named = shorter(named, wanted);
    } else {
      notes.add(notBoth(recording, wanted, named, namedBy));
    }
    return parsed.isCpu();
  }

  /**
   * The event to sample. If nothing was asked for but what is no event, that: CPU time does not
   * replace it.
   */
  SampledEvent decide(List<String> notes) {
    if (named == null) {
      return open == null && unknown != null ? unknown : open;
    }
    if (open != null && !open.name().equals(named.name())) {
      notes.add(notBoth(openBy, open, named, namedBy));
    }
    return open != null && open.name().equals(named.name()) ? shorter(named, open) : named;
  }

  private static SampledEvent every(
      SampledEvent event, String interval, String recording, List<String> notes) {
    SampledEvent every = event.every(interval);
    if (every == null) {
      notes.add(
          SamplingRule.insteadOf(
              recording,
              "interval '" + interval + "' of event " + event.name(),
              "not " + SampledEvent.INTERVALS,
              event.interval()));
      return event;
    }
    return every;
  }

  private static SampledEvent shorter(SampledEvent one, SampledEvent other) {
    return one == null || other.interval() < one.interval() ? other : one;
  }

  private static String notBoth(
      String recording, SampledEvent wanted, SampledEvent sampled, String by) {
    return "recording "
        + recording
        + " has no samples of "
        + wanted.name()
        + " while recording "
        + by
        + " asks for event "
        + sampled.name()
        + ": one is sampled at a time";
  }
}
