package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A frame under its callers: one node of the tree of all stacks. */
@Name(Frame.NAME)
@Label("Frame")
@Category("Stackweave")
@Description("A frame and, through its parent, the stack below it")
@StackTrace(false)
public final class Frame extends Event {
  public static final String NAME = "stackweave.Frame";

  @Label("Id")
  public long id;

  @Label("Parent")
  @Description("The caller's frame; 0 for the thread's outermost frame")
  public long parentId;

  @Label("Method")
  @Description("The stackweave.Method that runs here")
  public long methodId;

  @Label("Kind")
  @Description("What sort of code this is, see Session.kindLegend")
  public int kind;

  @Label("Line")
  @Description("Source line; 0 if unknown")
  public int line;

  @Label("Offset")
  @Description("Bytecode index in Java code, distance from the function's start in native code")
  public long offset;

  @Label("Found")
  @Description("How the frame was found from the one that it called, see Session.foundLegend")
  public int found;
}
