package stackweave.jfr.event.load;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.MemoryAddress;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * Where a library of a {@link NativeLibraryLoad} is mapped, as the drain thread found it a moment
 * later: the loading thread can't know it. Path and addresses are those of the library's
 * definition, by which samples name it.
 */
@Name(NativeLibraryMapped.NAME)
@Label("Native Library Mapped")
@Category("Stackweave")
@Description("Where the library of a NativeLibraryLoad is mapped")
@StackTrace(false)
public final class NativeLibraryMapped extends Event {
  public static final String NAME = "stackweave.NativeLibraryMapped";

  @Label("Load")
  @Description("Number of the load")
  public long load;

  @Label("Path")
  @Description("Path as mapped")
  public String path;

  @Label("Build Id")
  public String buildId;

  @Label("Start")
  @Description("First mapped address of its code")
  @MemoryAddress
  public long start;

  @Label("End")
  @Description("First address behind its code")
  @MemoryAddress
  public long end;

  @Label("File Kept")
  @Description("Whether the agent held the file open for as long as it had to be read")
  public boolean fileKept;
}
