package stackweave.jfr.control;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeSet;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.NativeAllocation;
import stackweave.jfr.event.NativeMemory;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.event.WallSample;

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
    long wall = Long.MAX_VALUE;
    long blocked = Long.MAX_VALUE;
    boolean memory = false;
    boolean allocations = false;
    EventRule events = new EventRule(defaults.event());
    List<String> asking = new ArrayList<>();
    for (Facts recording : running) {
      Map<String, String> own = ownSettings(recording, ids);
      Map<String, String> ownWall = wallSettings(recording, ids);
      Map<String, String> ownBlocked = blockedSettings(recording, ids);
      noteUnknown(recording, NativeSample.NAME, own, notes);
      noteUnknown(recording, WallSample.NAME, ownWall, notes);
      noteUnknown(recording, Blocked.NAME, ownBlocked, notes);
      Map<String, String> ownMemory = memorySettings(recording, ids);
      noteUnknown(recording, NativeMemory.NAME, ownMemory, notes);
      Map<String, String> ownAllocations = allocationSettings(recording, ids);
      noteUnknown(recording, NativeAllocation.NAME, ownAllocations, notes);
      noteMisspelt(recording, notes);
      boolean namesWall = !ownWall.isEmpty() && !isDisabled(ownWall);
      boolean namesBlocked = !ownBlocked.isEmpty() && !isDisabled(ownBlocked);
      boolean namesMemory = namesMemory(ownMemory);
      boolean namesAllocations = namesMemory(ownAllocations);
      if (isDisabled(own)) {
        disabled = true;
        if (namesWall) {
          notes.add(withoutSamples(recording, WallSample.NAME));
        }
        if (namesBlocked) {
          notes.add(withoutSamples(recording, Blocked.NAME));
        }
        if (namesMemory) {
          notes.add(withoutSamples(recording, NativeMemory.NAME));
        }
        if (namesAllocations) {
          notes.add(withoutSamples(recording, NativeAllocation.NAME));
        }
        continue;
      }
      enabled |= own.containsKey("enabled");
      boolean names =
          namesWall || namesBlocked || namesMemory || namesAllocations || !own.isEmpty();
      if (!names && (explicitOnly || !recording.isStartedByPerson())) {
        continue;
      }
      asking.add(recording.name());
      inMemory |= !recording.toDisk();
      if (events.takes(own.get("event"), own.get("interval"), recording.name(), notes)) {
        interval = Math.min(interval, interval(own.get("interval"), recording.name(), notes));
      }
      depth = Math.max(depth, depth(own.get("depth"), recording.name(), notes));
      wall = Math.min(wall, wallInterval(ownWall, recording.name(), notes));
      allocations |= namesAllocations;
      memory |= namesMemory || defaults.memory() && ownMemory.isEmpty();
      blocked = Math.min(blocked, blockedThreshold(ownBlocked, recording.name(), notes));
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
    long wallNanos = wall == Long.MAX_VALUE ? SamplingSettings.WALL_OFF : wall;
    long blockedNanos = blocked == Long.MAX_VALUE ? SamplingSettings.BLOCKED_OFF : blocked;
    SampledEvent event = events.decide(notes);
    return new SamplingRequest(
        event,
        event.isCpu() ? interval : defaults.intervalNanos(),
        engine,
        depth,
        wallNanos,
        blockedNanos,
        memory,
        allocations,
        inMemory,
        asking,
        notes);
  }

  private static String withoutSamples(Facts recording, String event) {
    return "recording "
        + recording.name()
        + " asks for "
        + event
        + " and disables "
        + NativeSample.NAME
        + ", without which nothing is sampled";
  }

  /**
   * Whether a recording has settings of an event but not {@code enabled}. JFR (17 to 25) treats
   * that as enabled until a second recording names the event; then it treats it as disabled, and if
   * no other recording enables the event, nothing is written at all.
   */
  boolean leavesEnabledOpen(Facts recording, EventIds ids) {
    Map<String, String> own = ownSettings(recording, ids);
    Map<String, String> ownWall = wallSettings(recording, ids);
    Map<String, String> ownBlocked = blockedSettings(recording, ids);
    boolean names =
        !own.isEmpty()
            || !ownWall.isEmpty() && !isDisabled(ownWall)
            || !ownBlocked.isEmpty() && !isDisabled(ownBlocked)
            || namesMemory(memorySettings(recording, ids))
            || namesMemory(allocationSettings(recording, ids));
    return names && !own.containsKey("enabled");
  }

  /**
   * Whether {@code stackweave.WallSample}, which JFR has off by default, has to be enabled in a
   * recording: its settings name the event, or the agent's option asks for it wherever samples are
   * asked for.
   */
  boolean leavesWallEnabledOpen(Facts recording, EventIds ids) {
    Map<String, String> own = ownSettings(recording, ids);
    Map<String, String> ownWall = wallSettings(recording, ids);
    if (isDisabled(own) || ownWall.containsKey("enabled")) {
      return false;
    }
    boolean asks = !own.isEmpty() || !explicitOnly && recording.isStartedByPerson();
    return !ownWall.isEmpty() || asks && defaults.wallNanos() != SamplingSettings.WALL_OFF;
  }

  /**
   * The threshold with which {@code stackweave.Blocked}, which JFR has off by default, has to be
   * enabled in a recording, as {@link #leavesWallEnabledOpen} says of the other event. Empty if it
   * is not asked for, or has both settings.
   */
  OptionalLong leavesBlockedOpen(Facts recording, EventIds ids) {
    Map<String, String> own = ownSettings(recording, ids);
    Map<String, String> ownBlocked = blockedSettings(recording, ids);
    boolean isComplete = ownBlocked.containsKey("enabled") && ownBlocked.containsKey("threshold");
    if (isDisabled(own) || isDisabled(ownBlocked) || isComplete) {
      return OptionalLong.empty();
    }
    boolean asks =
        !own.isEmpty()
            || !wallSettings(recording, ids).isEmpty()
            || !explicitOnly && recording.isStartedByPerson();
    if (ownBlocked.isEmpty()
        && (!asks || defaults.blockedNanos() == SamplingSettings.BLOCKED_OFF)) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(blockedThreshold(ownBlocked, recording.name(), new ArrayList<>()));
  }

  /**
   * Whether {@code stackweave.NativeMemory}, which JFR has off by default, has to be enabled in a
   * recording, as {@link #leavesWallEnabledOpen} says of the other event.
   */
  boolean leavesMemoryOpen(Facts recording, EventIds ids) {
    Map<String, String> own = ownSettings(recording, ids);
    Map<String, String> ownMemory = memorySettings(recording, ids);
    if (isDisabled(own) || ownMemory.containsKey("enabled")) {
      return false;
    }
    boolean asks = !own.isEmpty() || !explicitOnly && recording.isStartedByPerson();
    return !ownMemory.isEmpty() || asks && defaults.memory();
  }

  private static boolean namesMemory(Map<String, String> ownMemory) {
    return !ownMemory.isEmpty() && !isDisabled(ownMemory);
  }

  static boolean isDisabled(Map<String, String> own) {
    String enabled = own.get("enabled");
    return enabled != null && !enabled.strip().equalsIgnoreCase("true");
  }

  private static Map<String, String> ownSettings(Facts recording, EventIds ids) {
    return settingsOf(NativeSample.NAME, ids.nativeSample(), recording.settings());
  }

  private static Map<String, String> wallSettings(Facts recording, EventIds ids) {
    return settingsOf(WallSample.NAME, ids.wallSample(), recording.settings());
  }

  private static Map<String, String> blockedSettings(Facts recording, EventIds ids) {
    return settingsOf(Blocked.NAME, ids.blocked(), recording.settings());
  }

  private static Map<String, String> memorySettings(Facts recording, EventIds ids) {
    return settingsOf(NativeMemory.NAME, ids.memory(), recording.settings());
  }

  private static Map<String, String> allocationSettings(Facts recording, EventIds ids) {
    return settingsOf(NativeAllocation.NAME, ids.allocation(), recording.settings());
  }

  /** The settings of an event alone, without its name. */
  static Map<String, String> settingsOf(String event, long id, Map<String, String> settings) {
    String byName = event + "#";
    String byId = id + "#";
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

  /** Long.MAX_VALUE if the recording does not ask for samples of waiting threads. */
  private long wallInterval(Map<String, String> ownWall, String recording, List<String> notes) {
    boolean isOn =
        ownWall.isEmpty()
            ? defaults.wallNanos() != SamplingSettings.WALL_OFF
            : !isDisabled(ownWall);
    if (!isOn) {
      return Long.MAX_VALUE;
    }
    long usual =
        defaults.wallNanos() == SamplingSettings.WALL_OFF
            ? SamplingSettings.DEFAULT_WALL_NANOS
            : defaults.wallNanos();
    String text = ownWall.get("interval");
    if (Timespans.isDefault(text)) {
      return usual;
    }
    OptionalLong nanos = Timespans.parse(text);
    long used = nanos.isEmpty() ? usual : SamplingSettings.clampWall(nanos.getAsLong());
    if (nanos.isEmpty() || used != nanos.getAsLong()) {
      notes.add(
          insteadOf(
              recording,
              "interval '" + text + "' of " + WallSample.NAME,
              "not " + SamplingSettings.WALL_INTERVALS,
              Timespans.format(used)));
    }
    return used;
  }

  /** Long.MAX_VALUE if the recording does not ask for events of blocked threads. */
  private long blockedThreshold(
      Map<String, String> ownBlocked, String recording, List<String> notes) {
    boolean isOn =
        ownBlocked.isEmpty()
            ? defaults.blockedNanos() != SamplingSettings.BLOCKED_OFF
            : !isDisabled(ownBlocked);
    if (!isOn) {
      return Long.MAX_VALUE;
    }
    long usual =
        defaults.blockedNanos() == SamplingSettings.BLOCKED_OFF
            ? SamplingSettings.DEFAULT_BLOCKED_NANOS
            : defaults.blockedNanos();
    String text = ownBlocked.get("threshold");
    if (text == null) {
      return usual;
    }
    OptionalLong nanos = Timespans.parse(text);
    long used = nanos.isEmpty() ? usual : SamplingSettings.clampBlocked(nanos.getAsLong());
    if (nanos.isEmpty() || used != nanos.getAsLong()) {
      notes.add(
          insteadOf(
              recording,
              "threshold '" + text + "' of " + Blocked.NAME,
              "not " + SamplingSettings.BLOCKED_THRESHOLDS,
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
  private static void noteUnknown(
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
