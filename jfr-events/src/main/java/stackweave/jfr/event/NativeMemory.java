package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * Native memory that a stack touched first, or that was given back to the system since: its thread
 * and stack are defined where those of samples are. Sums by stack are its net growth. Never added
 * to CPU time, and never woven. Off unless a recording's settings, or the agent's option {@code
 * native-memory}, ask for it.
 */
@Name(NativeMemory.NAME)
@Label("Native Memory")
@Category("Stackweave")
@Description("Native memory that a stack touched first, or that was given back since")
@StackTrace(false)
@Enabled(false)
public final class NativeMemory extends CodedEvent {
  public static final String NAME = "stackweave.NativeMemory";

  @Label("Bytes")
  @Description(
      "The memory that this event stands for; negative if it was given back, with the stack that had"
          + " touched it")
  @DataAmount(DataAmount.BYTES)
  public long weight;

  @Label("Address")
  @Description("The page that was looked at; the others that it stands for are not known")
  public long address;

  @Override
  public void fill(SampleRecord sample) {
    super.fill(sample);
    weight = sample.weight;
    address = sample.address;
  }
}
