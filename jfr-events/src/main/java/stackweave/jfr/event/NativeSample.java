package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.SettingDefinition;
import jdk.jfr.StackTrace;

/**
 * The event whose settings ask for samples. It is never committed: the samples are {@link
 * StackSample} events. In recordings of schema 1 it is the sample.
 */
@Name(NativeSample.NAME)
@Label("Native Sample")
@Category("Stackweave")
@Description("The settings that recordings ask for samples with; no event is written")
@StackTrace(false)
public final class NativeSample extends Event {
  public static final String NAME = "stackweave.NativeSample";

  @Label("Interval")
  @Description("CPU time between two samples, such as 10 ms; the shortest asked for is used")
  @SettingDefinition
  boolean interval(AskedSetting control) {
    return true;
  }

  @Label("Event")
  @Description(
      "What is sampled: cpu, or an event such as page-faults, whose samples are EventSample; the"
          + " interval is a number of events then")
  @SettingDefinition
  boolean event(AskedSetting control) {
    return true;
  }

  @Label("Engine")
  @Description("The sampling engine: auto, or the name of one")
  @SettingDefinition
  boolean engine(AskedSetting control) {
    return true;
  }

  @Label("Depth")
  @Description("The most frames of one stack; the largest asked for is used")
  @SettingDefinition
  boolean depth(AskedSetting control) {
    return true;
  }
}
