package stackweave.jfr.event;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Timespan;

/**
 * Events that have the codes of their sample in their own fields, so that JFR's tools show them.
 */
public abstract class CodedEvent extends StackEvent {
  @Label("Age")
  @Description(
      "How long before the start time the sample was taken; 0 but on JVMs that refuse a start time")
  @Timespan(Timespan.NANOSECONDS)
  public long age;

  @Label("End")
  @Description("Why the stack ends where it ends, see Session.endLegend")
  public int end;

  @Label("Context")
  @Description("What the thread worked for, see stackweave.Context; 0 for none")
  public long contextId;

  @Override
  public void fill(SampleRecord sample) {
    super.fill(sample);
    age = sample.ageNanos;
    end = sample.end;
    contextId = sample.contextId;
  }

  @Override
  public final long contextId() {
    return contextId;
  }

  @Override
  public final long attributesId() {
    return 0;
  }
}
