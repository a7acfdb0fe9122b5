package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.MemoryAddress;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A mapped module of native code. Each chunk has the definitions that its samples need. */
@Name(NativeLibrary.NAME)
@Label("Native Library")
@Category("Stackweave")
@Description("A mapped file with native code, and what is known for unwinding and naming it")
@StackTrace(false)
public final class NativeLibrary extends Event {
  public static final String NAME = "stackweave.NativeLibrary";

  @Label("Module Id")
  public long moduleId;

  @Label("Path")
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

  @Label("Unwind Source")
  @Description("Where its unwind rules come from: a version of SFrame, eh_frame, none, …")
  public String unwindSource;

  @Label("Unwind Source Reason")
  @Description("Why this source and not a better one; empty where there is nothing to say")
  public String unwindReason;

  @Label("Functions")
  @Description("How many functions its unwind information describes")
  public long functions;

  @Label("Symbols From")
  @Description("Where its names come from: .symtab, .dynsym, a debug file, …")
  public String symbolsFrom;

  @Label("Load Observed")
  @Description(
      "Whether it was seen how it was loaded, before the first sample in it: NativeLibraryLoad and"
          + " NativeLibraryMapped have stack and address. In schema 2 these alone say it")
  public boolean loadObserved;
}
