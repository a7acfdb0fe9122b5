package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/**
 * A thread that was off the CPU for longer than the threshold, from the moment it left the CPU to
 * the moment it got one again, in all schemas: its thread and stack are defined where those of
 * samples are. A duration, never added to the weights of samples. Off unless a recording's
 * settings, or the agent's option {@code blocked}, ask for it; the threshold is JFR's own setting.
 */
@Name(Blocked.NAME)
@Label("Blocked")
@Category("Stackweave")
@Description("A thread that was blocked for longer than the threshold, and where")
@StackTrace(false)
@Enabled(false)
@Threshold("5 ms")
public final class Blocked extends Event {
  public static final String NAME = "stackweave.Blocked";

  @Label("Blocked Thread")
  @Description(
      "The Java thread, a virtual one where one was mounted and is known; none for threads of the"
          + " VM, of native code, and for exited ones")
  public Thread sampledThread;

  @Label("Thread Key")
  @Description("The thread that was blocked; OS thread ids are reused, these are not")
  public long threadId;

  @Label("State")
  @Description("What the thread waited for, see Session.stateLegend")
  public int state;

  @Label("Stack")
  @Description("The frame that the thread was blocked in; 0 when no frame is known")
  public long stackId;

  @Label("End")
  @Description("Why the stack ends where it ends, see Session.endLegend")
  public int end;

  @Label("Over")
  @Description(
      "False if the thread was still blocked when its chunk ended: the duration is that until then,"
          + " and a later event of the same thread and start has the whole")
  public boolean over;
}
