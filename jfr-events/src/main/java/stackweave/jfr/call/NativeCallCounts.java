package stackweave.jfr.call;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * How often a native method was called during a chunk and how long that took, one event for each
 * method that was called. JFR calls {@link NativeCallEvents} for them before a chunk ends.
 */
@Name(NativeCallCounts.NAME)
@Label("Native Call Counts")
@Category("Stackweave")
@Description("All timed calls of a native method during a chunk, the short ones included")
@StackTrace(false)
@Period("endChunk")
public final class NativeCallCounts extends Event {
  public static final String NAME = "stackweave.NativeCallCounts";

  @Label("Method")
  @Description("Class and name of the native method, as in java.util.zip.CRC32.update")
  public String method;

  @Label("Descriptor")
  public String descriptor;

  @Label("Calls")
  @Description(
      "Calls that ended during this chunk, by return or exception, without an event of their own")
  public long calls;

  @Label("Time")
  @Description("Wall-clock time of these calls")
  @Timespan(Timespan.NANOSECONDS)
  public long time;

  @Label("Histogram")
  @Description(
      "These calls by their duration: bound=count, separated by commas; the bound is in ns, and the"
          + " calls were shorter than it and no shorter than half of it; 32 has all shorter ones,"
          + " max all longer ones")
  public String histogram;

  @Label("Slow Calls")
  @Description("Calls that took the threshold or longer: each has a NativeCall event")
  public long slowCalls;

  @Label("Slow Time")
  @Description("Wall-clock time of the slow calls")
  @Timespan(Timespan.NANOSECONDS)
  public long slowTime;
}
