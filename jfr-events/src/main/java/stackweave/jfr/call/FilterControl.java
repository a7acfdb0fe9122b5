package stackweave.jfr.call;

import java.util.Set;
import java.util.TreeSet;
import jdk.jfr.SettingControl;

/**
 * The setting {@code filter} of {@link NativeCall}. The agent reads the recordings' own settings;
 * the value here is only what JFR shows. Called by JFR.
 */
final class FilterControl extends SettingControl {
  private volatile String value = CallPatterns.ALL;

  /** The patterns of all. */
  @Override
  public String combine(Set<String> values) {
    return String.join(CallPatterns.SEPARATOR, new TreeSet<>(values));
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
