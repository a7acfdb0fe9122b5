package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.SettingDefinition;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * One sampled stack. Its start time is the time of the interrupt; its stack is the chain of {@link
 * Frame}s from {@link #stackId} to the root.
 */
@Name(NativeSample.NAME)
@Label("Native Sample")
@Category("Stackweave")
@Description("A stack from the thread's first native frame through Java to the innermost function")
@StackTrace(false)
public final class NativeSample extends Event {
  public static final String NAME = "stackweave.NativeSample";

  @Label("Sampled Thread")
  @Description(
      "The Java thread, a virtual one where one was mounted and is known; none for threads of the"
          + " VM, of native code, and for exited ones")
  public Thread sampledThread;

  @Label("Thread Key")
  @Description("The stackweave.Thread that was sampled; OS thread ids are reused, these are not")
  public long threadId;

  @Label("State")
  @Description("What the thread did, see Session.stateLegend")
  public int state;

  @Label("Weight")
  @Description("The CPU time, or wall-clock time, that this sample stands for")
  @Timespan(Timespan.NANOSECONDS)
  public long weight;

  @Label("Stack")
  @Description("The stackweave.Frame that the thread was in; 0 when no frame is known")
  public long stackId;

  @Label("End")
  @Description("Why the stack ends where it ends, see Session.endLegend")
  public int end;

  @Label("Context")
  @Description("What the thread worked for, see stackweave.Context; 0 for none")
  public long contextId;

  @Label("Age")
  @Description(
      "How long before the start time the sample was taken; 0 but on JVMs that refuse a start time")
  @Timespan(Timespan.NANOSECONDS)
  public long age;

  @Name("interval")
  @Label("Interval")
  @Description("CPU time between two samples, such as 10 ms; the shortest asked for is used")
  @SettingDefinition
  boolean interval(WishControl control) {
    return true;
  }

  @Name("event")
  @Label("Event")
  @Description(
      "What is sampled: cpu, or an event such as page-faults, whose samples are EventSample; the"
          + " interval is a number of events then")
  @SettingDefinition
  boolean event(WishControl control) {
    return true;
  }

  @Name("engine")
  @Label("Engine")
  @Description("The sampling engine: auto, or the name of one")
  @SettingDefinition
  boolean engine(WishControl control) {
    return true;
  }

  @Name("depth")
  @Label("Depth")
  @Description("The most frames of one stack; the largest asked for is used")
  @SettingDefinition
  boolean depth(WishControl control) {
    return true;
  }
}
