package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.SettingDefinition;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * One stack of a thread that was not on a CPU: its codes are in the event itself, and its thread
 * and stack are defined where those of the other samples are. Never added to CPU time, and never
 * woven. Off unless a recording's settings, or the agent's option {@code wall}, ask for it.
 */
@Name(WallSample.NAME)
@Label("Wall Sample")
@Category("Stackweave")
@Description("A stack of a thread that was waiting, and for how long")
@StackTrace(false)
@Enabled(false)
public final class WallSample extends CodedEvent {
  public static final String NAME = "stackweave.WallSample";

  @Label("State")
  @Description("What the thread waited for, see Session.stateLegend")
  public int state;

  @Label("Weight")
  @Description("The wall-clock time, not on a CPU, that this sample stands for")
  @Timespan(Timespan.NANOSECONDS)
  public long weight;

  @Override
  public void fill(SampleRecord sample) {
    super.fill(sample);
    state = sample.state;
    weight = sample.weight;
  }

  @Label("Interval")
  @Description(
      "Wall-clock time between two looks at a waiting thread, such as 20 ms; the shortest asked for"
          + " is used")
  @SettingDefinition
  boolean interval(AskedSetting control) {
    return true;
  }
}
