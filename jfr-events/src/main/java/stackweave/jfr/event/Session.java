package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timestamp;

/** The sampled process and the legends of the codes in its events; once per chunk. */
@Name(Session.NAME)
@Label("Session")
@Category("Stackweave")
@Description("The process that was sampled, and the legends of the codes in its events")
@StackTrace(false)
public final class Session extends Event {
  public static final String NAME = "stackweave.Session";

  /** The version of the schema that this build writes; it reads this one and those before. */
  public static final int SCHEMA_VERSION = 2;

  @Label("Session Id")
  @Description("Unique to the process; ids of different sessions are unrelated")
  public String uuid;

  @Label("Process Id")
  public long pid;

  @Label("JVM Start")
  @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH)
  public long jvmStart;

  @Label("Schema Version")
  public int schemaVersion;

  @Label("JDK")
  @Description("Name and version of the JVM")
  public String jdk;

  @Label("ABI")
  @Description("Architecture and C library that the process runs on")
  public String abi;

  @Label("Agent Version")
  public String agentVersion;

  @Label("Started With")
  @Description(
      "What the JVM was started with that names its service, one a line: the variables"
          + " OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES and HOSTNAME, and arguments"
          + " -Dservice.name, -Dservice.version and -Dhost.name")
  public String startedWith;

  @Label("Frame Kinds")
  @Description("Legend of the kinds of frames: code=label, separated by commas")
  public String kindLegend;

  @Label("Stack Ends")
  @Description("Legend of the ends of stacks: code=label, separated by commas")
  public String endLegend;

  @Label("Complete Ends")
  @Description("The codes of those ends at which the stack reached the thread's first frame")
  public String completeEnds;

  @Label("Thread States")
  @Description("Legend of the states of threads: code=label, separated by commas")
  public String stateLegend;

  @Label("Ways Of Finding Frames")
  @Description("Legend of how frames were found: code=label, separated by commas")
  public String foundLegend;

  @Label("Guesses")
  @Description("The codes of those ways that can lead to a wrong frame")
  public String guesses;
}
