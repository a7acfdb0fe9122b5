package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.MemoryAddress;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The method of a frame: a Java method, a native symbol, or generated code of the VM. */
@Name(Method.NAME)
@Label("Method")
@Category("Stackweave")
@Description("A Java method, a native function, or a stub of the VM")
@StackTrace(false)
public final class Method extends Event {
  public static final String NAME = "stackweave.Method";

  @Label("Id")
  public long id;

  @Label("Module")
  @Description("The stackweave.NativeLibrary that holds the symbol; 0 for Java methods and stubs")
  public long moduleId;

  @Label("Class")
  @Description("Binary name with dots; empty for symbols and stubs")
  public String className;

  @Label("Name")
  @Description(
      "The method's name, or the symbol's, demangled; library+0xstart for functions without one")
  public String name;

  @Label("Descriptor")
  public String descriptor;

  @Label("Modifiers")
  @Description("Access flags as in the class file")
  public int modifiers;

  @Label("Source File")
  public String sourceFile;

  @Label("Symbol Start")
  @Description(
      "Where the symbol, or the function without one, begins in its module's own addresses")
  @MemoryAddress
  public long start;
}
