package stackweave.jfr.control;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.OptionalLong;
import stackweave.jfr.call.NativeCall;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.Timespans;

/**
 * The valid values of sampling settings, for agent options, recording settings and the command
 * line. Must not use streams or lambdas: it runs before the heap is known to have room for them.
 * Stateless.
 */
public final class SamplingSettings {
  /** The shortest interval: 10,000 samples per second and CPU. */
  public static final long MIN_INTERVAL_NANOS = 100_000L;

  /** The longest interval. */
  public static final long MAX_INTERVAL_NANOS = 60_000_000_000L;

  /** The default interval: 100 samples per second and CPU. */
  public static final long DEFAULT_INTERVAL_NANOS = 10_000_000L;

  /** The valid intervals, as text for users. */
  public static final String INTERVALS = "a time from 100us to 60s, such as 10ms";

  /** The valid times between two looks, as text for users. */
  public static final String WALL_INTERVALS = "a time from 1ms to 60s, such as 20ms";

  /** The valid thresholds of blocked threads, as text for users. */
  public static final String BLOCKED_THRESHOLDS = "a time from 1ms to 60s, such as 5ms";

  /** Leaves the choice of engine to the agent. */
  public static final String DEFAULT_ENGINE = "auto";

  /**
   * The default depth in frames: enough for a recursion of 2,000 calls, with a column buffer of 100
   * KB.
   */
  public static final int DEFAULT_DEPTH = 4096;

  /** The largest depth, in frames. */
  public static final int MAX_DEPTH = 8192;

  /** The valid depths, as text for users. */
  public static final String DEPTHS = "a number of frames from 1 to " + MAX_DEPTH;

  private static final List<String> ENGINE_NAMES = namesOfEngines();

  /** The names of engines that can be requested, as text for users. */
  public static final String ENGINES = String.join(", ", ENGINE_NAMES);

  /** The settings of {@code stackweave.NativeSample} that the agent reads. */
  private static final List<String> OWN_NAMES =
      List.of("enabled", "interval", "depth", "engine", "event");

  /** The settings of {@code stackweave.NativeCall} that the agent reads. */
  private static final List<String> CALL_NAMES = List.of("enabled", "filter", "threshold");

  /** The events whose settings the agent reads. */
  private static final List<String> EVENTS = events();

  /** Settings that JFR itself has for every instant event. */
  private static final List<String> JFRS_NAMES = List.of("stackTrace", "threshold");

  /** A name with at most this many differing letters counts as misspelt. */
  private static final int TYPOS = 2;

  private SamplingSettings() {}

  /**
   * Parses an interval as in JFR settings, such as {@code 10 ms}, to ns; empty if it is none of
   * {@link #INTERVALS}.
   */
  public static OptionalLong interval(String text) {
    OptionalLong nanos = Timespans.parse(text);
    return nanos.isPresent() && clamp(nanos.getAsLong()) == nanos.getAsLong()
        ? nanos
        : OptionalLong.empty();
  }

  /** The valid interval nearest to {@code nanos}. */
  public static long clamp(long nanos) {
    return Math.max(MIN_INTERVAL_NANOS, Math.min(MAX_INTERVAL_NANOS, nanos));
  }

  /** Parses a depth; empty if it is none of {@link #DEPTHS}. */
  public static OptionalInt depth(String text) {
    try {
      int depth = Integer.parseInt(text.strip());
      return depth >= 1 && depth <= MAX_DEPTH ? OptionalInt.of(depth) : OptionalInt.empty();
    } catch (NumberFormatException e) {
      return OptionalInt.empty();
    }
  }

  /** The names of {@link #ENGINES}, the default first. */
  public static List<String> engineNames() {
    return ENGINE_NAMES;
  }

  /** Whether there is such an engine, or it is {@link #DEFAULT_ENGINE}. */
  public static boolean isEngine(String name) {
    return ENGINE_NAMES.contains(name);
  }

  /** A hint for a wrong name: {@code (did you mean perf?)}, or the list of engines. */
  public static String meantEngine(String name) {
    return meant(name, ENGINE_NAMES, ENGINES);
  }

  /** Whether an event of {@link #EVENTS} has such a setting. */
  static boolean isSetting(String event, String name) {
    return namesOf(event).contains(name) || JFRS_NAMES.contains(name);
  }

  /** As {@link #meantEngine} for the settings of an event of {@link #EVENTS}. */
  static String meantSetting(String event, String name) {
    List<String> names = namesOf(event);
    return name.equals("period")
        ? " (did you mean interval?)"
        : meant(name, names, String.join(", ", names));
  }

  private static List<String> namesOf(String event) {
    for (SampledFeature feature : SampledFeature.values()) {
      if (feature.event().equals(event)) {
        return feature.settings();
      }
    }
    return event.equals(NativeCall.NAME) ? CALL_NAMES : OWN_NAMES;
  }

  /** The event of {@link #EVENTS} that a name is a misspelling of; null if it is none. */
  static String misspelt(String name) {
    if (name.startsWith("jdk.") || EVENTS.contains(name)) {
      return null; // the fast path, as this runs every second
    }
    String lower = name.toLowerCase(Locale.ROOT);
    for (String event : EVENTS) {
      String own = event.toLowerCase(Locale.ROOT);
      if (lower.equals(own.substring(own.indexOf('.') + 1))
          || Math.abs(lower.length() - own.length()) <= TYPOS && distance(lower, own) <= TYPOS) {
        return event;
      }
    }
    return null;
  }

  private static List<String> events() {
    List<String> events = new ArrayList<>(List.of(NativeSample.NAME, NativeCall.NAME));
    for (SampledFeature feature : SampledFeature.values()) {
      events.add(feature.event());
    }
    return List.copyOf(events);
  }

  private static List<String> namesOfEngines() {
    List<String> names = new ArrayList<>();
    names.add(DEFAULT_ENGINE);
    for (EngineKind kind : EngineKind.values()) {
      names.add(kind.label());
    }
    return List.copyOf(names);
  }

  private static String meant(String name, List<String> names, String all) {
    String lower = name.toLowerCase(Locale.ROOT).replace('_', '-');
    String nearest = null;
    int least = TYPOS + 1;
    for (String candidate : names) {
      int distance = distance(lower, candidate);
      if (distance < least) {
        least = distance;
        nearest = candidate;
      }
    }
    return nearest == null
        ? " (there are: " + all + ")"
        : " (did you mean " + nearest + "? There are: " + all + ")";
  }

  /** The number of insertions, deletions and changes of letters between two names. */
  private static int distance(String from, String to) {
    int[] last = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      last[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int[] row = new int[to.length() + 1];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int change = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
        row[j] = Math.min(last[j - 1] + change, 1 + Math.min(last[j], row[j - 1]));
      }
      last = row;
    }
    return last[to.length()];
  }
}
