package stackweave.jfr.event;

import java.util.Set;
import java.util.TreeSet;
import jdk.jfr.SettingControl;

/**
 * A setting of an event to which recordings may give different values. The agent reads the
 * recordings' own settings; the value here is only what JFR shows. One class for all settings,
 * which it can't tell apart: JFR (17 and 25) pairs an event's controls and setting methods in
 * different orders, so controls of different classes cause a ClassCastException at the first
 * commit. Called by JFR.
 */
public final class AskedSetting extends SettingControl {
  private volatile String value = Timespans.DEFAULT;

  /** The value that JFR shows: all that recordings ask for. */
  @Override
  public String combine(Set<String> values) {
    return String.join(", ", new TreeSet<>(values));
  }

  /** JDK 17 passes null if two recordings differ. */
  @Override
  public void setValue(String value) {
    if (value != null) {
      this.value = value;
    }
  }

  @Override
  public String getValue() {
    return value;
  }
}
