package stackweave.jfr.control;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
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
 * nothing is requested. Recordings that name {@code stackweave.WallSample} other than to disable it
 * request samples, and those of waiting threads, too; likewise {@code stackweave.Blocked}. Used by
 * {@link SamplingControl}.
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
  private final SamplingDefaults defaults;

  /**
   * @param explicitOnly whether only recordings count that name one of the events in their settings
   */
  SamplingRule(boolean explicitOnly, SamplingDefaults defaults) {
    this.explicitOnly = explicitOnly;
    this.defaults = defaults;
  }

  /** The properties of a running recording that the rule needs. */
  record Facts(
      String name,
      boolean hasOwnName,
      boolean hasDestination,
      boolean startedByCommand,
      boolean toDisk,
      Map<String, String> settings) {

    boolean isStartedByPerson() {
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
   * @param ids the events' ids, by which settings may name them too
   * @return null if nothing is requested
   */
  SamplingRequest decide(List<Facts> running, EventIds ids) {
    return decide(running, ids, new ArrayList<>());
  }

  /**
   * As {@link #decide(List, EventIds)}.
   *
   * @param notes receives what was not understood or can't be followed, one line each, also if
   *     nothing is requested
   */
  SamplingRequest decide(List<Facts> running, EventIds ids, List<String> notes) {
    boolean enabled = false;
    boolean disabled = false;
    boolean inMemory = false;
    long interval = Long.MAX_VALUE;
    String engine = null;
    int depth = 0;
    Map<SampledFeature, Long> features = new EnumMap<>(SampledFeature.class);
    EventRule events = new EventRule(defaults.event());
    List<String> asking = new ArrayList<>();
    for (Facts recording : running) {
      Own own = Own.of(recording, ids);
      noteUnknown(recording, own, notes);
      if (own.isDisabled()) {
        disabled = true;
        noteWithoutSamples(recording, own, notes);
        continue;
      }
      enabled |= own.samples.containsKey("enabled");
      if (!asks(recording, own)) {
        continue;
      }
      String name = recording.name();
      asking.add(name);
      inMemory |= !recording.toDisk();
      if (events.takes(own.samples.get("event"), own.samples.get("interval"), name, notes)) {
        interval = Math.min(interval, interval(own.samples.get("interval"), name, notes));
      }
      depth = Math.max(depth, depth(own.samples.get("depth"), name, notes));
      for (SampledFeature feature : SampledFeature.values()) {
        long value = value(feature, own.of(feature), name, notes);
        if (value != SampledFeature.OFF) {
          features.put(feature, Math.min(value, features.getOrDefault(feature, value)));
        }
      }
      engine = either(engine, engine(own.samples.get("engine"), name, notes), name, notes);
    }
    if (asking.isEmpty() || (disabled && !enabled)) {
      return null;
    }
    SampledEvent event = events.decide(notes);
    long nanos = event.isCpu() ? interval : defaults.intervalNanos();
    return new SamplingRequest(event, nanos, engine, depth, features, inMemory, asking, notes);
  }

  /**
   * A recording's own settings of the events that ask, each without the event's name.
   *
   * @param samples of {@code stackweave.NativeSample}
   */
  private record Own(
      Map<String, String> samples, Map<SampledFeature, Map<String, String>> features) {
    static Own of(Facts recording, EventIds ids) {
      Map<SampledFeature, Map<String, String>> features = new EnumMap<>(SampledFeature.class);
      for (SampledFeature feature : SampledFeature.values()) {
        features.put(feature, settingsOf(feature.event(), ids, recording.settings()));
      }
      return new Own(settingsOf(NativeSample.NAME, ids, recording.settings()), features);
    }

    Map<String, String> of(SampledFeature feature) {
      return features.get(feature);
    }

    boolean isDisabled() {
      return SamplingRule.isDisabled(samples);
    }

    boolean names(SampledFeature feature) {
      return !of(feature).isEmpty() && !SamplingRule.isDisabled(of(feature));
    }

    /** Whether an event is named other than to disable a feature. */
    boolean namesAny() {
      boolean names = !samples.isEmpty();
      for (SampledFeature feature : SampledFeature.values()) {
        names |= names(feature);
      }
      return names;
    }
  }

  /** Whether a recording that does not disable samples asks for them. */
  private boolean asks(Facts recording, Own own) {
    return own.namesAny() || !explicitOnly && recording.isStartedByPerson();
  }

  /** The engine that was asked for first, of those that were asked for by name. */
  private static String either(String engine, String other, String recording, List<String> notes) {
    if (engine == null || engine.equals(SamplingSettings.DEFAULT_ENGINE)) {
      return other;
    }
    if (!other.equals(engine) && !other.equals(SamplingSettings.DEFAULT_ENGINE)) {
      notes.add(
          "recording "
              + recording
              + " asks for engine "
              + other
              + ", but "
              + engine
              + " was asked for before; "
              + engine
              + " is used for both");
    }
    return engine;
  }

  private static void noteWithoutSamples(Facts recording, Own own, List<String> notes) {
    for (SampledFeature feature : SampledFeature.values()) {
      if (own.names(feature)) {
        notes.add(
            "recording "
                + recording.name()
                + " asks for "
                + feature.event()
                + " and disables "
                + NativeSample.NAME
                + ", without which nothing is sampled");
      }
    }
  }

  /**
   * The events that have to be enabled in a recording, each with the threshold to be set, in ns, or
   * {@link SampledFeature#ON} for none. JFR (17 to 25) treats an event whose settings lack {@code
   * enabled} as enabled until a second recording names it; then it treats it as disabled, and if no
   * other recording enables the event, nothing is written at all. And it has off by default what a
   * recording's settings, or the agent's options, ask for beside samples.
   */
  Map<String, Long> leftOpen(Facts recording, EventIds ids) {
    Own own = Own.of(recording, ids);
    Map<String, Long> open = new LinkedHashMap<>();
    if (own.namesAny() && !own.samples.containsKey("enabled")) {
      open.put(NativeSample.NAME, SampledFeature.ON);
    }
    if (own.isDisabled() || !asks(recording, own)) {
      return open;
    }
    for (SampledFeature feature : SampledFeature.values()) {
      Map<String, String> settings = own.of(feature);
      boolean isComplete =
          settings.containsKey("enabled")
              && (!feature.isThreshold() || settings.containsKey("threshold"));
      long value = value(feature, settings, recording.name(), new ArrayList<>());
      if (!isComplete && value != SampledFeature.OFF) {
        open.put(feature.event(), feature.isThreshold() ? value : SampledFeature.ON);
      }
    }
    return open;
  }

  static boolean isDisabled(Map<String, String> own) {
    String enabled = own.get("enabled");
    return enabled != null && !enabled.strip().equalsIgnoreCase("true");
  }

  /** The settings of an event alone, without its name. */
  static Map<String, String> settingsOf(String event, EventIds ids, Map<String, String> settings) {
    String byName = event + "#";
    String byId = ids.of(event) + "#";
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
      return defaults.intervalNanos();
    }
    OptionalLong nanos = Timespans.parse(text);
    if (nanos.isEmpty()) {
      notes.add(
          insteadOf(
              recording,
              "interval '" + text + "'",
              "not " + SamplingSettings.INTERVALS,
              Timespans.format(defaults.intervalNanos())));
      return defaults.intervalNanos();
    }
    long clamped = SamplingSettings.clamp(nanos.getAsLong());
    if (clamped != nanos.getAsLong()) {
      notes.add(
          insteadOf(
              recording,
              "interval " + text,
              "not " + SamplingSettings.INTERVALS,
              Timespans.format(clamped)));
    }
    return clamped;
  }

  /** The value that a recording asks for; {@link SampledFeature#OFF} if it does not. */
  private long value(
      SampledFeature feature, Map<String, String> own, String recording, List<String> notes) {
    long byOption = defaults.features().getOrDefault(feature, SampledFeature.OFF);
    if (own.isEmpty()) {
      return byOption;
    }
    if (isDisabled(own)) {
      return SampledFeature.OFF;
    }
    long usual = byOption == SampledFeature.OFF ? feature.standard() : byOption;
    String text = own.get(feature.setting());
    if (Timespans.isDefault(text)) {
      return usual;
    }
    OptionalLong nanos = Timespans.parse(text);
    long used = nanos.isEmpty() ? usual : SampledFeature.clamp(nanos.getAsLong());
    if (nanos.isEmpty() || used != nanos.getAsLong()) {
      notes.add(
          insteadOf(
              recording,
              feature.setting() + " '" + text + "' of " + feature.event(),
              "not " + feature.times(),
              Timespans.format(used)));
    }
    return used;
  }

  private int depth(String text, String recording, List<String> notes) {
    if (Timespans.isDefault(text)) {
      return defaults.depth();
    }
    OptionalInt depth = SamplingSettings.depth(text);
    if (depth.isPresent()) {
      return depth.getAsInt();
    }
    notes.add(
        insteadOf(
            recording, "depth '" + text + "'", "not " + SamplingSettings.DEPTHS, defaults.depth()));
    return defaults.depth();
  }

  private String engine(String text, String recording, List<String> notes) {
    if (Timespans.isDefault(text)) {
      return defaults.engine();
    }
    String name = text.strip();
    if (SamplingSettings.isEngine(name)) {
      return name;
    }
    notes.add(
        insteadOf(
            recording,
            "engine '" + name + "'",
            "unknown" + SamplingSettings.meantEngine(name),
            defaults.engine()));
    return defaults.engine();
  }

  /** The note of a setting that can't be followed, and of what is done instead. */
  static String insteadOf(String recording, String asked, String wrong, Object used) {
    return "recording "
        + recording
        + " asks for "
        + asked
        + ", which is "
        + wrong
        + "; "
        + used
        + " is used";
  }

  /** Notes unknown settings, since JFR accepts any name silently. */
  private static void noteUnknown(Facts recording, Own own, List<String> notes) {
    noteUnknown(recording, NativeSample.NAME, own.samples, notes);
    for (SampledFeature feature : SampledFeature.values()) {
      noteUnknown(recording, feature.event(), own.of(feature), notes);
    }
    noteMisspelt(recording, notes);
  }

  static void noteUnknown(
      Facts recording, String event, Map<String, String> own, List<String> notes) {
    for (String name : new TreeSet<>(own.keySet())) {
      if (!SamplingSettings.isSetting(event, name)) {
        notes.add(
            "recording "
                + recording.name()
                + " sets "
                + event
                + "#"
                + name
                + ", which is unknown, so nothing follows it"
                + SamplingSettings.meantSetting(event, name));
      }
    }
    String enabled = own.get("enabled");
    if (enabled != null && !isBoolean(enabled.strip())) {
      notes.add(
          "recording "
              + recording.name()
              + " sets "
              + event
              + "#enabled='"
              + enabled
              + "', which is neither true nor false, so JFR takes it for false");
    }
  }

  private static void noteMisspelt(Facts recording, List<String> notes) {
    TreeSet<String> misspelt = new TreeSet<>();
    for (String key : recording.settings().keySet()) {
      int end = key.indexOf('#');
      if (end > 0 && SamplingSettings.misspelt(key.substring(0, end)) != null) {
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
              + SamplingSettings.misspelt(key.substring(0, key.indexOf('#')))
              + "?)");
    }
  }

  private static boolean isBoolean(String text) {
    return text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false");
  }
}
