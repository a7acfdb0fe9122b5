package stackweave.jfr.event;

import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import jdk.jfr.SettingControl;

/**
 * A setting of {@link NativeSample} that recordings may give different values. What is sampled
 * follows from the recordings themselves; the value here is only what JFR shows.
 *
 * <p>One class for all settings, which tells them apart by their values: JFR (17 and 25) pairs the
 * controls of an event with its setting methods in two different orders, so that controls of
 * different classes end in a ClassCastException at the first commit.
 */
final class WishControl extends SettingControl {
  private volatile String value = Timespans.DEFAULT;

  /**
   * Of timespans the shortest, of numbers the largest, of names the first that is not a default.
   */
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

  /** JDK 17 gives null here when two recordings differ; it is a change all the same. */
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
