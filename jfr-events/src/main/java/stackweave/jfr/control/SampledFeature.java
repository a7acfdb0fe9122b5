package stackweave.jfr.control;

import java.util.List;
import java.util.OptionalLong;
import jdk.jfr.Event;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.NativeAllocation;
import stackweave.jfr.event.NativeMemory;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.event.WallSample;

/**
 * What recordings can ask for beside samples of CPU time, each with the event whose settings ask
 * for it. Like {@link SamplingSettings} it must not use streams or lambdas.
 */
public enum SampledFeature {
  /** Samples of waiting threads; the value is the time between two looks. */
  WAITING(WallSample.NAME, "interval", SamplingSettings.WALL_INTERVALS, 20),
  /** Events of blocked threads; the value is the shortest time of one. */
  BLOCKED(Blocked.NAME, "threshold", SamplingSettings.BLOCKED_THRESHOLDS, 5),
  /** First touches of native memory. */
  MEMORY(NativeMemory.NAME),
  /** Blocks of malloc. */
  ALLOCATIONS(NativeAllocation.NAME);

  /** The value of a feature that is not asked for. */
  public static final long OFF = 0;

  /** The value of a feature that is asked for and has no time. */
  public static final long ON = 1;

  private static final long MIN_NANOS = 1_000_000L;
  private static final long MAX_NANOS = 60_000_000_000L;

  private final String event;
  private final String setting;
  private final String times;
  private final long standard;

  SampledFeature(String event) {
    this(event, "", "", 0);
  }

  /**
   * @param event the event's name
   * @param setting the setting that has a time
   * @param times the valid times, as text for users
   * @param standardMillis the time if a recording asks for it and sets none; 0 for none
   */
  SampledFeature(String event, String setting, String times, int standardMillis) {
    this.event = event;
    this.setting = setting;
    this.times = times;
    this.standard = standardMillis == 0 ? ON : standardMillis * 1_000_000L;
  }

  /** The name of the event. */
  public String event() {
    return event;
  }

  /** The event's class: not a field, for options are parsed where there is no JFR. */
  Class<? extends Event> type() {
    return switch (this) {
      case WAITING -> WallSample.class;
      case BLOCKED -> Blocked.class;
      case MEMORY -> NativeMemory.class;
      case ALLOCATIONS -> NativeAllocation.class;
    };
  }

  /** The setting that has a time; empty for none. */
  String setting() {
    return setting;
  }

  /** The settings that the agent reads. */
  List<String> settings() {
    return setting.isEmpty() ? List.of("enabled") : List.of("enabled", setting);
  }

  /** Whether JFR applies the time as well. */
  boolean isThreshold() {
    return setting.equals("threshold");
  }

  /** The valid times, as text for users. */
  public String times() {
    return times;
  }

  /** The value in ns if a recording asks for it and sets no time. */
  public long standard() {
    return standard;
  }

  /** A time of {@link #times} in ns; empty if it is none. */
  public OptionalLong parse(String text) {
    OptionalLong nanos = Timespans.parse(text);
    return nanos.isPresent() && clamp(nanos.getAsLong()) == nanos.getAsLong()
        ? nanos
        : OptionalLong.empty();
  }

  /** The valid time nearest to {@code nanos}. */
  static long clamp(long nanos) {
    return Math.max(MIN_NANOS, Math.min(MAX_NANOS, nanos));
  }
}
