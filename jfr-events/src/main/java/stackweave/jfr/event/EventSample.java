package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

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
public final class EventSample extends CodedEvent {
  public static final String NAME = "stackweave.EventSample";

  @Label("Event")
  @Description("What happened, such as page-faults: the unit of the weight")
  public String event;

  @Label("Weight")
  @Description("The number of these events that this sample stands for; no time")
  public long weight;

  @Override
  public void fill(SampleRecord sample) {
    super.fill(sample);
    event = sample.event;
    weight = sample.weight;
  }
}
