package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * A block that a stack allocated by malloc or one of its relatives, or that was given back since:
 * its thread and stack are defined where those of samples are. The sum by stack is what is still in
 * use of the blocks allocated since recording began. Never added to CPU time or to {@link
 * NativeMemory}, of which it is a part, and never woven. Off unless a recording's settings ask for
 * it.
 */
@Name(NativeAllocation.NAME)
@Label("Native Allocation")
@Category("Stackweave")
@Description("A block that a stack allocated by malloc, or that was given back since")
@StackTrace(false)
@Enabled(false)
public final class NativeAllocation extends CodedEvent {
  public static final String NAME = "stackweave.NativeAllocation";

  @Label("Bytes")
  @Description(
      "The memory that this event stands for; negative if it was given back, with the stack that had"
          + " allocated it")
  @DataAmount(DataAmount.BYTES)
  public long weight;

  @Label("Address")
  @Description("The block; a small one stands for others, which are not known")
  public long address;

  @Override
  public void fill(SampleRecord sample) {
    super.fill(sample);
    weight = sample.weight;
    address = sample.address;
  }
}
