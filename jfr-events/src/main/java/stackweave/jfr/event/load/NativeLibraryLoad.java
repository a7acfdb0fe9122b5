package stackweave.jfr.event.load;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * A library that Java code loads, committed by the thread that loads it: thread, duration and stack
 * trace are JFR's own. The {@link NativeLibraryMapped} with the same number says where it was
 * mapped. Also written by threads whose samples are not taken.
 */
@Name(NativeLibraryLoad.NAME)
@Label("Native Library Load")
@Category("Stackweave")
@Description("A library that Java code loaded, or failed to, with the stack that did it")
@StackTrace
public final class NativeLibraryLoad extends Event {
  public static final String NAME = "stackweave.NativeLibraryLoad";

  /** The most characters of {@link #error}. */
  public static final int MAX_ERROR = 400;

  @Label("Load")
  @Description("Number of the load, unique in the process")
  public long load;

  @Label("Path")
  @Description("What dlopen was called with: a path, or a name that it searches for")
  public String path;

  @Label("Foreign")
  @Description("Whether it was loaded by java.lang.foreign, and so without JNI_OnLoad")
  public boolean foreign;

  @Label("Loaded")
  @Description("Whether it succeeded")
  public boolean loaded;

  @Label("Error")
  @Description("Why it failed; empty if it did not, or the JDK does not say")
  public String error;
}
