package stackweave.jfr.control;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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

  /** The properties of a running recording that the rule reads. */
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

    /** Adds a line for users that names the recording; {@code text} is a format. */
    void note(List<String> notes, String text, Object... arguments) {
      notes.add("recording " + name + " " + String.format(Locale.ROOT, text, arguments));
    }

    /** Notes a setting that can't be followed, and what is done instead. */
    void noteInstead(List<String> notes, String asked, String wrong, Object used) {
      note(notes, "asks for %s, which is %s; %s is used", asked, wrong, used);
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
      own.noteUnknown(notes);
      if (own.samples.isDisabled()) {
        disabled = true;
        own.noteWithoutSamples(notes);
        continue;
      }
      enabled |= own.samples.isComplete(false);
      if (!asks(recording, own)) {
        continue;
      }
      asking.add(recording.name());
      inMemory |= !recording.toDisk();
      if (events.takes(own.samples, notes)) {
        interval = Math.min(interval, interval(own.samples, notes));
      }
      depth = Math.max(depth, depth(own.samples, notes));
      for (SampledFeature feature : SampledFeature.values()) {
        long value = value(feature, own.of(feature), notes);
        if (value != SampledFeature.OFF) {
          features.put(feature, Math.min(value, features.getOrDefault(feature, value)));
        }
      }
      engine = either(engine, engine(own.samples, notes), recording, notes);
    }
    if (asking.isEmpty() || (disabled && !enabled)) {
      return null;
    }
    SampledEvent event = events.decide(notes);
    long nanos = event.isCpu() ? interval : defaults.intervalNanos();
    return new SamplingRequest(event, nanos, engine, depth, features, inMemory, asking, notes);
  }

  /**
   * The settings that a recording itself has for the events that ask.
   *
   * @param samples settings of {@code stackweave.NativeSample}
   */
  private record Own(OwnSettings samples, Map<SampledFeature, OwnSettings> features) {
    static Own of(Facts recording, EventIds ids) {
      Map<SampledFeature, OwnSettings> features = new EnumMap<>(SampledFeature.class);
      for (SampledFeature feature : SampledFeature.values()) {
        features.put(feature, OwnSettings.of(recording, feature.event(), ids));
      }
      return new Own(OwnSettings.of(recording, NativeSample.NAME, ids), features);
    }

    OwnSettings of(SampledFeature feature) {
      return features.get(feature);
    }

    /** Whether an event is named other than to disable a feature. */
    boolean namesAny() {
      boolean names = !samples.isEmpty();
      for (OwnSettings feature : features.values()) {
        names |= feature.isAskedFor();
      }
      return names;
    }

    void noteUnknown(List<String> notes) {
      samples.noteUnknown(notes);
      for (OwnSettings feature : features.values()) {
        feature.noteUnknown(notes);
      }
      noteMisspelt(samples.recording(), notes);
    }

    void noteWithoutSamples(List<String> notes) {
      for (OwnSettings feature : features.values()) {
        if (feature.isAskedFor()) {
          feature
              .recording()
              .note(
                  notes,
                  "asks for %s and disables %s, without which nothing is sampled",
                  feature.event(),
                  NativeSample.NAME);
        }
      }
    }
  }

  /** Whether a recording that does not disable samples asks for them. */
  private boolean asks(Facts recording, Own own) {
    return own.namesAny() || !explicitOnly && recording.isStartedByPerson();
  }

  /** The engine of the earliest request that names one. */
  private static String either(String engine, String other, Facts recording, List<String> notes) {
    if (engine == null || engine.equals(SamplingSettings.DEFAULT_ENGINE)) {
      return other;
    }
    if (!other.equals(engine) && !other.equals(SamplingSettings.DEFAULT_ENGINE)) {
      recording.note(
          notes,
          "asks for engine %s, but %s was asked for before; %s is used for both",
          other,
          engine,
          engine);
    }
    return engine;
  }

  /**
   * The events that have to be enabled in a recording, each with the threshold to be set, in ns, or
   * {@link SampledFeature#ON} for none. JFR (17 to 25) treats an event whose settings lack {@code
   * enabled} as enabled until a second recording names it; then it treats it as disabled, and if no
   * other recording enables the event, nothing is written at all. The events of what is recorded
   * beside samples are off by default.
   */
  Map<String, Long> leftOpen(Facts recording, EventIds ids) {
    Own own = Own.of(recording, ids);
    Map<String, Long> open = new LinkedHashMap<>();
    if (own.namesAny() && !own.samples.isComplete(false)) {
      open.put(NativeSample.NAME, SampledFeature.ON);
    }
    if (own.samples.isDisabled() || !asks(recording, own)) {
      return open;
    }
    for (SampledFeature feature : SampledFeature.values()) {
      long value = value(feature, own.of(feature), new ArrayList<>());
      if (!own.of(feature).isComplete(feature.isThreshold()) && value != SampledFeature.OFF) {
        open.put(feature.event(), feature.isThreshold() ? value : SampledFeature.ON);
      }
    }
    return open;
  }

  private long interval(OwnSettings own, List<String> notes) {
    String text = own.get("interval");
    if (Timespans.isDefault(text)) {
      return defaults.intervalNanos();
    }
    OptionalLong nanos = Timespans.parse(text);
    long used =
        nanos.isEmpty() ? defaults.intervalNanos() : SamplingSettings.clamp(nanos.getAsLong());
    if (nanos.isEmpty() || used != nanos.getAsLong()) {
      own.recording()
          .noteInstead(
              notes,
              "interval " + (nanos.isEmpty() ? "'" + text + "'" : text),
              "not " + SamplingSettings.INTERVALS,
              Timespans.format(used));
    }
    return used;
  }

  /** The value that a recording asks for; {@link SampledFeature#OFF} if it does not. */
  private long value(SampledFeature feature, OwnSettings own, List<String> notes) {
    long byOption = defaults.features().getOrDefault(feature, SampledFeature.OFF);
    if (own.isEmpty()) {
      return byOption;
    }
    if (own.isDisabled()) {
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
      own.recording()
          .noteInstead(
              notes,
              feature.setting() + " '" + text + "' of " + feature.event(),
              "not " + feature.times(),
              Timespans.format(used));
    }
    return used;
  }

  private int depth(OwnSettings own, List<String> notes) {
    String text = own.get("depth");
    if (Timespans.isDefault(text)) {
      return defaults.depth();
    }
    OptionalInt depth = SamplingSettings.depth(text);
    if (depth.isEmpty()) {
      own.recording()
          .noteInstead(
              notes, "depth '" + text + "'", "not " + SamplingSettings.DEPTHS, defaults.depth());
    }
    return depth.orElse(defaults.depth());
  }

  private String engine(OwnSettings own, List<String> notes) {
    String text = own.get("engine");
    if (Timespans.isDefault(text)) {
      return defaults.engine();
    }
    String name = text.strip();
    if (SamplingSettings.isEngine(name)) {
      return name;
    }
    own.recording()
        .noteInstead(
            notes,
            "engine '" + name + "'",
            "unknown" + SamplingSettings.meantEngine(name),
            defaults.engine());
    return defaults.engine();
  }

  private static void noteMisspelt(Facts recording, List<String> notes) {
    for (String key : new TreeSet<>(recording.settings().keySet())) {
      int end = key.indexOf('#');
      String meant = end > 0 ? SamplingSettings.misspelt(key.substring(0, end)) : null;
      if (meant != null) {
        recording.note(
            notes,
            "sets %s, of an event that is unknown, so nothing follows it (did you mean %s?)",
            key,
            meant);
      }
    }
  }
}
