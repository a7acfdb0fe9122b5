package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * A block that a stack allocated by malloc or one of its relatives, or that was given back since,
 * its thread and stack are defined where those of samples are. Sums by stack are what is live of
 * that which was allocated since recording began. Never added to CPU time or to {@link
 * NativeMemory}, of which it is a part, and never woven. Off unless a recording's settings ask for
 * it.
 */
@Name(NativeAllocation.NAME)
@Label("Native Allocation")
@Category("Stackweave")
@Description("A block that a stack allocated by malloc, or that was given back since")
@StackTrace(false)
@Enabled(false)
public final class NativeAllocation extends Event {
  public static final String NAME = "stackweave.NativeAllocation";

  @Label("Thread")
  @Description(
      "The Java thread that allocated it, a virtual one where one was mounted and is known; none for"
          + " threads of the VM, of native code, and for exited ones")
  public Thread sampledThread;

  @Label("Thread Key")
  @Description("The thread that allocated it; OS thread ids are reused, these are not")
  public long threadId;

  @Label("Bytes")
  @Description(
      "The memory that this event stands for; negative if it was given back, with the stack that had"
          + " allocated it")
  @DataAmount(DataAmount.BYTES)
  public long weight;

  @Label("Address")
  @Description("The block; a small one stands for others, which are not known")
  public long address;

  @Label("Stack")
  @Description("The frame that allocated it, malloc as a rule; 0 when no frame is known")
  public long stackId;

  @Label("End")
  @Description("Why the stack ends where it ends, see Session.endLegend")
  public int end;

  @Label("Context")
  @Description("What the thread worked for that allocated it, see stackweave.Context; 0 for none")
  public long contextId;

  @Label("Age")
  @Description(
      "How long before the start time the sample was taken; 0 but on JVMs that refuse a start time")
  @Timespan(Timespan.NANOSECONDS)
  public long age;
}
