package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

/**
 * Never committed: JFR's periodic thread calls the hook of this type while recordings run. JFR
 * reports to its listeners that recordings start and stop, and not that their settings change.
 */
@Name("stackweave.SettingsWatch")
@Label("Settings Watch")
@Category("Stackweave")
@Description("Never written; how often changed settings of running recordings are looked for")
@StackTrace(false)
@Period("1 s")
public final class SettingsWatch extends Event {}
