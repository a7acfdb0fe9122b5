package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
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
public final class StackSample extends StackEvent {
  public static final String NAME = "stackweave.StackSample";

  @Label("Weight")
  @Description("The CPU time, or wall-clock time, that this sample stands for")
  @Timespan(Timespan.NANOSECONDS)
  public long weight;

  @Label("Attributes")
  @Description("State, end, context and age, of which most samples have the same")
  public long attributesId;

  @Override
  public void fill(SampleRecord sample) {
    super.fill(sample);
    weight = sample.weight;
    attributesId = sample.attributesId;
  }

  @Override
  public long contextId() {
    return 0;
  }

  @Override
  public long attributesId() {
    return attributesId;
  }
}
