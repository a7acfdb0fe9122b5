package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A thread that was sampled, Java or not, also after its end. */
@Name(SampledThread.NAME)
@Label("Thread")
@Category("Stackweave")
@Description("A sampled thread: Java threads, the VM's own, and those of native code")
@StackTrace(false)
public final class SampledThread extends Event {
  public static final String NAME = "stackweave.Thread";

  @Label("Thread Key")
  public long threadId;

  @Label("OS Thread Id")
  @Description("The OS thread's id; of a virtual thread, its carrier's")
  public long osThreadId;

  @Label("Name")
  public String name;

  @Label("Java Thread Id")
  @Description(
      "java.lang.Thread's id; 0 for threads without one, and for virtual threads that were not"
          + " identified")
  public long javaId;

  @Label("Virtual")
  public boolean virtual;

  @Label("Carrier")
  @Description("Java thread id of the carrier of a virtual thread; 0 otherwise")
  public long carrierId;
}
