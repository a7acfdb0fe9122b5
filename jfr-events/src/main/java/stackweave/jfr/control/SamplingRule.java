package stackweave.jfr.control;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeSet;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.Timespans;

/**
 * Decides which recordings request samples, from their own settings: if they name {@code
 * stackweave.NativeSample} other than to disable it, or if a person started them and they don't
 * name it. If one recording disables the event and none enables it, JFR writes no samples, so
 * nothing is requested. Used by {@link SamplingControl}.
 *
 * <p>JFR's own view of the event can't be used: an event enabled by default runs with any
 * recording, also a library's, and JDK 17 loses a setting that two recordings give different
 * values.
 */
final class SamplingRule {
  /**
   * The name prefixes of recordings made by {@code jdk.jfr.consumer.RecordingStream} and its remote
   * counterpart.
   */
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

  /** The properties of a running recording that the rule needs. */
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
   * @return null if nothing is requested
   */
  SamplingRequest decide(List<Facts> running, long eventTypeId) {
    return decide(running, eventTypeId, new ArrayList<>());
  }

  /**
   * As {@link #decide(List, long)}.
   *
   * @param notes receives what was not understood or can't be followed, one line each, also if
   *     nothing is requested
   */
  SamplingRequest decide(List<Facts> running, long eventTypeId, List<String> notes) {
    boolean enabled = false;
    boolean disabled = false;
    boolean inMemory = false;
    long interval = Long.MAX_VALUE;
    String engine = null;
    int depth = 0;
    List<String> asking = new ArrayList<>();
    for (Facts recording : running) {
      Map<String, String> own = ownSettings(recording.settings(), eventTypeId);
      noteUnknown(recording, own, notes);
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
      String ownEngine = engine(own.get("engine"), recording.name(), notes);
      if (engine == null || engine.equals(SamplingSettings.DEFAULT_ENGINE)) {
        engine = ownEngine;
      } else if (!ownEngine.equals(engine) && !ownEngine.equals(SamplingSettings.DEFAULT_ENGINE)) {
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
   * Whether a recording has settings of the event but not {@code enabled}. JFR (17 to 25) treats
   * that as enabled until a second recording names the event; then it treats it as disabled, and if
   * no other recording enables the event, nothing is written at all.
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
              + "', which is not "
              + SamplingSettings.INTERVALS
              + "; "
              + Timespans.format(defaultIntervalNanos)
              + " is used");
      return defaultIntervalNanos;
    }
    long clamped = SamplingSettings.clamp(nanos.getAsLong());
    if (clamped != nanos.getAsLong()) {
      notes.add(
          "recording "
              + recording
              + " asks for interval "
              + text
              + ", which is not "
              + SamplingSettings.INTERVALS
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
    OptionalInt depth = SamplingSettings.depth(text);
    if (depth.isPresent()) {
      return depth.getAsInt();
    }
    notes.add(
        "recording "
            + recording
            + " asks for depth '"
            + text
            + "', which is not "
            + SamplingSettings.DEPTHS
            + "; "
            + defaultDepth
            + " is used");
    return defaultDepth;
  }

  private String engine(String text, String recording, List<String> notes) {
    if (Timespans.isDefault(text)) {
      return defaultEngine;
    }
    String name = text.strip();
    if (SamplingSettings.isEngine(name)) {
      return name;
    }
    notes.add(
        "recording "
            + recording
            + " asks for engine '"
            + name
            + "', which is unknown"
            + SamplingSettings.meantEngine(name)
            + "; "
            + defaultEngine
            + " is used");
    return defaultEngine;
  }

  /** Notes unknown settings, since JFR accepts any name silently. */
  private static void noteUnknown(Facts recording, Map<String, String> own, List<String> notes) {
    for (String name : new TreeSet<>(own.keySet())) {
      if (!SamplingSettings.isSetting(name)) {
        notes.add(
            "recording "
                + recording.name()
                + " sets "
                + NativeSample.NAME
                + "#"
                + name
                + ", which is unknown, so nothing follows it"
                + SamplingSettings.meantSetting(name));
      }
    }
    String enabled = own.get("enabled");
    if (enabled != null && !isBoolean(enabled.strip())) {
      notes.add(
          "recording "
              + recording.name()
              + " sets "
              + NativeSample.NAME
              + "#enabled='"
              + enabled
              + "', which is neither true nor false, so JFR takes it for false");
    }
    TreeSet<String> misspelt = new TreeSet<>();
    for (String key : recording.settings().keySet()) {
      int end = key.indexOf('#');
      if (end > 0 && SamplingSettings.isMisspeltEvent(key.substring(0, end))) {
        misspelt.add(key);
      }
    }
    for (String key : misspelt) {
      notes.add(
          "recording "
              + recording.name()
              + " sets "
              + key
              + ", of an event that is unknown, so nothing follows it (did you mean "
              + NativeSample.NAME
              + "?)");
    }
  }

  private static boolean isBoolean(String text) {
    return text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false");
  }
}
