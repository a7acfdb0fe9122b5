package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * One sampled stack: what it names is defined in the {@link DefinitionBlock}s of its chunk. Its
 * start time is the time of the interrupt.
 */
@Name(StackSample.NAME)
@Label("Stack Sample")
@Category("Stackweave")
@Description("A sampled stack; stackweave.Definitions has what it names")
@StackTrace(false)
public final class StackSample extends Event {
  public static final String NAME = "stackweave.StackSample";

  @Label("Sampled Thread")
  @Description(
      "The Java thread, a virtual one where one was mounted and is known; none for threads of the"
          + " VM, of native code, and for exited ones")
  public Thread sampledThread;

  @Label("Thread Key")
  @Description("The thread that was sampled; OS thread ids are reused, these are not")
  public long threadId;

  @Label("Weight")
  @Description("The CPU time, or wall-clock time, that this sample stands for")
  @Timespan(Timespan.NANOSECONDS)
  public long weight;

  @Label("Stack")
  @Description("The frame that the thread was in; 0 when no frame is known")
  public long stackId;

  @Label("Attributes")
  @Description("State, end, context and age, of which most samples have the same")
  public long attributesId;
}
