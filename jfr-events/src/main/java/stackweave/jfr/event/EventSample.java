package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * One stack of a thread in which an event of the kernel or the processor happened: its thread and
 * stack are defined where those of the other samples are. Its weight is a number of events: never
 * added to CPU time, and never woven. Written while a recording's settings, or the agent's option
 * {@code event}, ask for an event instead of CPU time.
 */
@Name(EventSample.NAME)
@Label("Event Sample")
@Category("Stackweave")
@Description("A stack in which an event happened, such as a page fault, and how many it stands for")
@StackTrace(false)
public final class EventSample extends Event {
  public static final String NAME = "stackweave.EventSample";

  @Label("Sampled Thread")
  @Description(
      "The Java thread, a virtual one where one was mounted and is known; none for threads of the"
          + " VM, of native code, and for exited ones")
  public Thread sampledThread;

  @Label("Thread Key")
  @Description("The thread that was sampled; OS thread ids are reused, these are not")
  public long threadId;

  @Label("Event")
  @Description("What happened, such as page-faults: the unit of the weight")
  public String event;

  @Label("Weight")
  @Description("The number of these events that this sample stands for; no time")
  public long weight;

  @Label("Stack")
  @Description("The frame that the thread was in; 0 when no frame is known")
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
}
