package stackweave.jfr.call;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.SettingDefinition;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import stackweave.jfr.event.AskedSetting;

/**
 * A call of a native method that took at least the threshold, which is JFR's own setting. Committed
 * by the calling thread, so that JFR takes thread and stack. Registered only if the agent's option
 * {@code calls} names methods.
 */
@Name(NativeCall.NAME)
@Label("Native Call")
@Category("Stackweave")
@Description("A call of a native method that was slow, with the stack that made it")
@StackTrace(true)
@Threshold(NativeCall.DEFAULT_THRESHOLD)
public final class NativeCall extends Event {
  public static final String NAME = "stackweave.NativeCall";

  /** The threshold of recordings that set none. */
  public static final String DEFAULT_THRESHOLD = "10 ms";

  @Label("Method")
  @Description("Class and name of the native method, as in java.util.zip.CRC32.update")
  public String method;

  @Label("Descriptor")
  public String descriptor;

  @Label("Filter")
  @Description("Which of the timed methods get events and counts: patterns, separated by ;")
  @SettingDefinition
  boolean filter(AskedSetting control) {
    return true;
  }
}
