package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

/**
 * Never committed: while recordings run, JFR's own periodic thread calls the hook of this type. JFR
 * tells a setting only of values that change, so that a running recording that begins to enable or
 * disable {@link NativeSample}, and says no more, would go unnoticed.
 */
@Name("stackweave.SettingsWatch")
@Label("Settings Watch")
@Category("Stackweave")
@Description("Never written; how often changed settings of running recordings are looked for")
@StackTrace(false)
@Period("1 s")
public final class SettingsWatch extends Event {}
