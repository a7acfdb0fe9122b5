package stackweave.jfr.control;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.Timespans;

/**
 * Which recordings ask for samples, from what they say themselves. (What JFR says of the event is
 * no guide: an event that is enabled by default runs with any recording, a metrics library's
 * included, and JDK 17 loses a setting that two recordings give different values.)
 *
 * <p>A recording asks when its settings name {@code stackweave.NativeSample}, other than to disable
 * it, or when a person started it and its settings say nothing. Where one recording disables the
 * event and none enables it, JFR writes no samples at all, so nothing is asked for.
 */
final class SamplingRule {
  /** How {@code jdk.jfr.consumer.RecordingStream} and its remote kind name their recordings. */
  private static final List<String> STREAM_NAMES =
      List.of("Recording Stream: ", "Remote Recording Stream: ");

  private final boolean explicitOnly;
  private final long defaultIntervalNanos;
  private final String defaultEngine;
  private final int defaultDepth;

  SamplingRule(
      boolean explicitOnly, long defaultIntervalNanos, String defaultEngine, int defaultDepth) {
    this.explicitOnly = explicitOnly;
    this.defaultIntervalNanos = defaultIntervalNanos;
    this.defaultEngine = defaultEngine;
    this.defaultDepth = defaultDepth;
  }

  /** A running recording, as far as the rule looks at it. */
  record Facts(
      String name,
      boolean hasOwnName,
      boolean hasDestination,
      boolean startedByCommand,
      boolean toDisk,
      Map<String, String> settings) {

    private boolean isStartedByPerson() {
      if (startedByCommand || hasDestination) {
        return true;
      }
      for (String stream : STREAM_NAMES) {
        if (name.startsWith(stream)) {
          return false;
        }
      }
      return hasOwnName;
    }
  }

  /**
   * @param eventTypeId JFR's id of the event type, by which settings may name it too; -1 if not
   *     registered
   * @return null when nothing is asked for
   */
  SamplingRequest decide(List<Facts> running, long eventTypeId) {
    boolean enabled = false;
    boolean disabled = false;
    boolean inMemory = false;
    long interval = Long.MAX_VALUE;
    String engine = null;
    int depth = 0;
    List<String> asking = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    for (Facts recording : running) {
      Map<String, String> own = ownSettings(recording.settings(), eventTypeId);
      String enabledText = own.get("enabled");
      if (enabledText != null && !enabledText.strip().equalsIgnoreCase("true")) {
        disabled = true;
        continue;
      }
      enabled |= enabledText != null;
      if (own.isEmpty() && (explicitOnly || !recording.isStartedByPerson())) {
        continue;
      }
      asking.add(recording.name());
      inMemory |= !recording.toDisk();
      interval = Math.min(interval, interval(own.get("interval"), recording.name(), notes));
      depth = Math.max(depth, depth(own.get("depth"), recording.name(), notes));
      String ownEngine =
          Timespans.isDefault(own.get("engine")) ? defaultEngine : own.get("engine").strip();
      if (engine == null || engine.equals(SamplingRequest.DEFAULT_ENGINE)) {
        engine = ownEngine;
      } else if (!ownEngine.equals(engine) && !ownEngine.equals(SamplingRequest.DEFAULT_ENGINE)) {
        notes.add(
            "recording "
                + recording.name()
                + " asks for engine "
                + ownEngine
                + ", but "
                + engine
                + " was asked for before; "
                + engine
                + " is used for both");
      }
    }
    if (asking.isEmpty() || (disabled && !enabled)) {
      return null;
    }
    return new SamplingRequest(interval, engine, depth, inMemory, asking, notes);
  }

  /**
   * Whether a recording gives the event settings and leaves open whether it is enabled. That is
   * meant as a wish, and JFR (17 to 25) takes it as one until a second recording names the event:
   * then it takes the first for one that disables it, and if no other enables it nothing is written
   * for anybody.
   */
  boolean leavesEnabledOpen(Facts recording, long eventTypeId) {
    Map<String, String> own = ownSettings(recording.settings(), eventTypeId);
    return !own.isEmpty() && !own.containsKey("enabled");
  }

  /** The settings of the event alone, without its name. */
  private static Map<String, String> ownSettings(Map<String, String> settings, long eventTypeId) {
    String byName = NativeSample.NAME + "#";
    String byId = eventTypeId + "#";
    Map<String, String> own = new HashMap<>();
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      String key = setting.getKey();
      if (setting.getValue() == null) {
        continue;
      }
      if (key.startsWith(byName)) {
        own.put(key.substring(byName.length()), setting.getValue());
      } else if (key.startsWith(byId)) {
        own.put(key.substring(byId.length()), setting.getValue());
      }
    }
    return own;
  }

  private long interval(String text, String recording, List<String> notes) {
    if (Timespans.isDefault(text)) {
      return defaultIntervalNanos;
    }
    OptionalLong nanos = Timespans.parse(text);
    if (nanos.isEmpty()) {
      notes.add(
          "recording "
              + recording
              + " asks for interval '"
              + text
              + "', which is no timespan such as 10 ms; "
              + Timespans.format(defaultIntervalNanos)
              + " is used");
      return defaultIntervalNanos;
    }
    long clamped =
        Math.max(
            SamplingRequest.MIN_INTERVAL_NANOS,
            Math.min(SamplingRequest.MAX_INTERVAL_NANOS, nanos.getAsLong()));
    if (clamped != nanos.getAsLong()) {
      notes.add(
          "recording "
              + recording
              + " asks for interval "
              + text
              + ", outside "
              + Timespans.format(SamplingRequest.MIN_INTERVAL_NANOS)
              + " to "
              + Timespans.format(SamplingRequest.MAX_INTERVAL_NANOS)
              + "; "
              + Timespans.format(clamped)
              + " is used");
    }
    return clamped;
  }

  private int depth(String text, String recording, List<String> notes) {
    if (Timespans.isDefault(text)) {
      return defaultDepth;
    }
    try {
      int depth = Integer.parseInt(text.strip());
      if (depth >= 1 && depth <= SamplingRequest.MAX_DEPTH) {
        return depth;
      }
    } catch (NumberFormatException e) {
      // Said below, as any other depth that can't be followed.
    }
    notes.add(
        "recording "
            + recording
            + " asks for depth '"
            + text
            + "', which is no number from 1 to "
            + SamplingRequest.MAX_DEPTH
            + "; "
            + defaultDepth
            + " is used");
    return defaultDepth;
  }
}
