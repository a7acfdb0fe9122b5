package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** One call of a traced native method that took longer than the threshold. */
@Name(NativeCall.NAME)
@Label("Native Call")
@Category("Stackweave")
@Description("A slow call of a traced native method, with the Java stack that made it")
@StackTrace(true)
@Threshold("10 ms")
public final class NativeCall extends Event {
  public static final String NAME = "stackweave.NativeCall";

  @Label("Native Method")
  @Description("The called method, as package.Class.method")
  public String method;

  @Label("Samples")
  @Description("How many samples were taken of the thread during the call")
  public long samples;
}
