package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;

/**
 * A thread that was off the CPU for longer than the threshold, from the moment it left the CPU to
 * the moment it got one again: its thread and stack are defined where those of samples are. A
 * duration, never added to the weights of samples. Off unless a recording's settings, or the
 * agent's option {@code blocked}, ask for it; the threshold is JFR's own setting.
 */
@Name(Blocked.NAME)
@Label("Blocked")
@Category("Stackweave")
@Description("A thread that was blocked for longer than the threshold, and where")
@StackTrace(false)
@Enabled(false)
@Threshold("5 ms")
public final class Blocked extends CodedEvent {
  public static final String NAME = "stackweave.Blocked";

  /** {@link #wakerPid} of a thread that an interrupt woke. */
  public static final int WOKEN_BY_INTERRUPT = -1;

  @Label("State")
  @Description("What the thread waited for, see Session.stateLegend")
  public int state;

  @Label("Over")
  @Description(
      "False if the thread was still blocked when its chunk ended: the duration is that until then,"
          + " and a later event of the same thread and start has the whole")
  public boolean over;

  @Label("Waker Thread Key")
  @Description("The thread of this process that woke it; 0 if that is not known, or none did")
  public long wakerThreadId;

  @Label("Waker Process")
  @Description(
      "The process of the thread that woke it, this one included; -1 if an interrupt woke it (a"
          + " timer, the network, a disk), 0 if it is not known")
  public int wakerPid;

  @Label("Wake Delay")
  @Description("Time from when it was woken until it got a CPU; 0 where the waker is not known")
  @Timespan(Timespan.NANOSECONDS)
  public long wakeDelay;

  @Override
  public void fill(SampleRecord sample) {
    super.fill(sample);
    state = sample.state;
    over = sample.isOver;
    wakerThreadId = sample.wakerKey;
    wakerPid = sample.wakerPid;
    wakeDelay = sample.wakeDelayNanos;
  }

  @Override
  public long otherThreadId() {
    return wakerThreadId;
  }
}
