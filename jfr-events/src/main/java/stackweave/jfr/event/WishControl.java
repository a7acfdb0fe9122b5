package stackweave.jfr.event;

import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import jdk.jfr.SettingControl;

/**
 * A setting of {@link NativeSample} that recordings may give different values. The agent reads the
 * recordings' own settings; the value here is only what JFR shows. One class for all settings,
 * which it tells apart by their values: JFR (17 and 25) pairs an event's controls and setting
 * methods in different orders, so controls of different classes cause a ClassCastException at the
 * first commit. Called by JFR.
 */
final class WishControl extends SettingControl {
  private volatile String value = Timespans.DEFAULT;

  /** The shortest of timespans, the largest of numbers, the first name that is not a default. */
  @Override
  public String combine(Set<String> values) {
    String shortest = null;
    long least = Long.MAX_VALUE;
    String largest = null;
    long most = -1;
    String named = null;
    for (String candidate : new TreeSet<>(values)) {
      OptionalLong nanos = Timespans.parse(candidate);
      if (nanos.isPresent()) {
        if (nanos.getAsLong() < least) {
          least = nanos.getAsLong();
          shortest = candidate;
        }
      } else if (candidate.matches("[0-9]{1,9}")) {
        if (Long.parseLong(candidate) > most) {
          most = Long.parseLong(candidate);
          largest = candidate;
        }
      } else if (named == null || Timespans.isDefault(named) || named.equals("auto")) {
        named = candidate;
      }
    }
    if (shortest != null) {
      return shortest;
    }
    if (largest != null) {
      return largest;
    }
    return named != null ? named : value;
  }

  /** JDK 17 passes null if two recordings differ, which is a change as well. */
  @Override
  public void setValue(String value) {
    if (value != null) {
      this.value = value;
    }
    SettingChange.signal();
  }

  @Override
  public String getValue() {
    return value;
  }
}
