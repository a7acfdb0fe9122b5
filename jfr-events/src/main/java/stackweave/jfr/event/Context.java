package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * What a {@code contextId} means: an event of its own. Each chunk has the contexts that its samples
 * name.
 */
@Name(Context.NAME)
@Label("Context")
@Category("Stackweave")
@Description("What a sampled thread worked for, as the application said")
@StackTrace(false)
public final class Context extends Event {
  public static final String NAME = "stackweave.Context";

  @Label("Context Id")
  public long contextId;

  @Label("Trace Id")
  @Description("The label trace_id; empty for none")
  public String traceId;

  @Label("Span Id")
  @Description("The label span_id; empty for none")
  public String spanId;

  @Label("Labels")
  @Description(
      "All other labels, as key=value in the order of their keys, separated by semicolons; a"
          + " backslash stands before each = ; and \\ within them")
  public String labels;
}
