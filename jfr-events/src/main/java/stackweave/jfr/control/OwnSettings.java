package stackweave.jfr.control;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * What a recording's own settings say of one event. Immutable.
 *
 * @param values by the names of the settings, without the event's name
 */
record OwnSettings(SamplingRule.Facts recording, String event, Map<String, String> values) {
  /**
   * The settings of a recording.
   *
   * @param ids the events' ids, by which settings may name them too
   */
  static OwnSettings of(SamplingRule.Facts recording, String event, EventIds ids) {
    String byName = event + "#";
    String byId = ids.of(event) + "#";
    Map<String, String> own = new HashMap<>();
    for (Map.Entry<String, String> setting : recording.settings().entrySet()) {
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
    return new OwnSettings(recording, event, own);
  }

  /** Whether the recording does not name the event. */
  boolean isEmpty() {
    return values.isEmpty();
  }

  /** The value of a setting; null if the recording does not say it. */
  String get(String setting) {
    return values.get(setting);
  }

  boolean isDisabled() {
    String enabled = get("enabled");
    return enabled != null && !enabled.strip().equalsIgnoreCase("true");
  }

  /** Whether the recording names the event other than to disable it. */
  boolean isAskedFor() {
    return !isEmpty() && !isDisabled();
  }

  /** Whether it has all settings that JFR needs to write the event. */
  boolean isComplete(boolean hasThreshold) {
    return values.containsKey("enabled") && (!hasThreshold || values.containsKey("threshold"));
  }

  /** Notes unknown settings, since JFR accepts any name silently. */
  void noteUnknown(List<String> notes) {
    for (String name : new TreeSet<>(values.keySet())) {
      if (!SamplingSettings.isSetting(event, name)) {
        recording.note(
            notes,
            "sets %s#%s, which is unknown, so nothing follows it%s",
            event,
            name,
            SamplingSettings.meantSetting(event, name));
      }
    }
    String enabled = get("enabled");
    if (isDisabled() && !enabled.strip().equalsIgnoreCase("false")) {
      recording.note(
          notes,
          "sets %s#enabled='%s', which is neither true nor false, so JFR takes it for false",
          event,
          enabled);
    }
  }
}
