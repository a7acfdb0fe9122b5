package stackweave.hotspot;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stackweave.hotspot.code.BlobReader;
import stackweave.hotspot.code.CodeBlob;
import stackweave.hotspot.code.CodeCache;
import stackweave.hotspot.code.InterpreterCodelets;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.heap.ThreadObjects;
import stackweave.hotspot.heap.VirtualThreadObjects;
import stackweave.hotspot.memory.BoundedMemory;
import stackweave.hotspot.memory.DirectMemory;
import stackweave.hotspot.memory.LastingMemory;
import stackweave.hotspot.memory.MemoryPages;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.runtime.BlockedJavaThread;
import stackweave.hotspot.runtime.CodeFreeing;
import stackweave.hotspot.runtime.GarbageCollections;
import stackweave.hotspot.runtime.JavaThreads;
import stackweave.hotspot.runtime.StartedThreadCount;
import stackweave.hotspot.unloading.Unloading;
import stackweave.hotspot.vmstructs.Field;
import stackweave.hotspot.vmstructs.JdkVersion;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.hotspot.vmstructs.SymbolAddresses;
import stackweave.hotspot.vmstructs.UnsupportedVmException;
import stackweave.hotspot.vmstructs.VmStructs;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * A HotSpot VM whose structures are understood: where its code cache, interpreter and threads are.
 * Opened once per process, then shared by its users. Keeps no caches of frames: each {@link
 * MixedUnwinder} has its own. Belongs to the thread that unwinds.
 */
public final class HotSpot {
  /** In "OpenJDK 64-Bit Server VM (17+35) for linux-amd64 JRE (17+35), built on ...". */
  private static final Pattern NAME =
      Pattern.compile("^([ \\w.-]{1,80}) \\(([\\w.+-]{1,80})\\) for ");

  private static final Pattern PLATFORM = Pattern.compile(" for (\\w{1,20}-\\w{1,20}) JRE ");

  private final Layout layout;
  private final Cpu cpu;
  private final MemoryReader memory;
  private final BoundedMemory bounded;
  private final boolean live;
  private final LastingMemory lasting;
  private final CodeCache codeCache;
  private final InterpreterCodelets codelets;
  private final long callStubReturn;
  private final CodeFreeing freeing;
  private final Unloading unloading;

  private String name = "";

  private HotSpot(Layout layout, Cpu cpu, MemoryReader memory, DirectMemory direct, boolean live)
      throws UnreadableMemoryException, UnsupportedVmException {
    this.layout = layout;
    this.cpu = cpu;
    this.memory = memory;
    this.live = live;
    this.bounded = new BoundedMemory(memory);
    this.lasting = new LastingMemory(direct, bounded);
    this.codeCache = new CodeCache(layout, lasting);
    this.codelets = new InterpreterCodelets(layout, memory);
    this.callStubReturn = memory.readLong(layout.callStubReturn.offset());
    this.freeing = CodeFreeing.find(layout, lasting);
    this.unloading = new Unloading(layout, lasting, freeing);
  }

  /**
   * Reads libjvm's description of itself in recorded memory, of which each word is read by itself.
   * Takes some ten milliseconds.
   *
   * @param libjvm the exported symbols of the process's libjvm
   * @param memory of the process; read from the calling thread now and from the unwinding thread
   *     later
   * @throws UnsupportedVmException if anything that frames need is not described, with all of that
   *     in its one-line message
   */
  public static HotSpot open(SymbolAddresses libjvm, MemoryReader memory)
      throws UnsupportedVmException {
    return open(libjvm, memory, null, false);
  }

  /**
   * The same for a VM that runs, whose memory is read by pages.
   *
   * @param direct reads the lasting memory of this process's VM; null for another process's
   */
  public static HotSpot open(SymbolAddresses libjvm, MemoryReader memory, DirectMemory direct)
      throws UnsupportedVmException {
    return open(libjvm, memory, direct, true);
  }

  private static HotSpot open(
      SymbolAddresses libjvm, MemoryReader memory, DirectMemory direct, boolean live)
      throws UnsupportedVmException {
    VmStructs structs = VmStructs.read(libjvm, memory);
    try {
      JdkVersion version = new JdkVersion((int) versionWord(structs, "_vm_major_version", memory));
      String info = info(structs, memory);
      HotSpot opened =
          new HotSpot(new Layout(structs, version), cpu(info, version), memory, direct, live);
      opened.name = name(info);
      return opened;
    } catch (UnreadableMemoryException e) {
      throw new UnsupportedVmException("its code cache can't be read (" + e.reason().label() + ")");
    }
  }

  /** What the VM says of its version, in a line; empty if that can't be read. */
  private static String info(VmStructs structs, MemoryReader memory)
      throws UnsupportedVmException, UnreadableMemoryException {
    long info = versionWord(structs, "_s_internal_vm_info_string", memory);
    String text = new MemoryPages(memory).string(info);
    return text == null ? "" : text;
  }

  /** Name and version of the VM, such as java.vm.name and java.vm.version have them. */
  private static String name(String info) {
    Matcher name = NAME.matcher(info);
    return name.find() ? name.group(1) + " " + name.group(2) : "";
  }

  /** Name and version of the VM; empty if it does not say them as HotSpot does. */
  public String name() {
    return name;
  }

  /** The processor of the VM by its own version text: that of this process may be another one. */
  private static Cpu cpu(String info, JdkVersion version) throws UnsupportedVmException {
    Matcher platform = PLATFORM.matcher(info);
    String name = platform.find() ? platform.group(1) : "an unknown platform";
    return switch (name) {
      case "linux-amd64" -> new stackweave.hotspot.cpu.x86.HotSpotConventions();
      case "linux-aarch64" ->
          new stackweave.hotspot.cpu.aarch64.HotSpotConventions(version.keepsSenderSpInX19());
      default ->
          throw new UnsupportedVmException(
              "frames of " + name + " are not known, only those of linux-amd64 and linux-aarch64");
    };
  }

  private static long versionWord(VmStructs structs, String name, MemoryReader memory)
      throws UnsupportedVmException, UnreadableMemoryException {
    Field field = structs.field("Abstract_VM_Version", name);
    if (field == null) {
      throw new UnsupportedVmException("missing Abstract_VM_Version::" + name);
    }
    return memory.readLong(field.offset());
  }

  /** The JDK's feature version, such as 17 or 25. */
  public int featureVersion() {
    return layout.version.feature();
  }

  /**
   * Samples may have been taken before this was opened: what was unloaded and freed so far counts
   * as unloaded and freed now. For the thread that unwinds.
   */
  public void openedAfterSamples() {
    unloading.openedAfterSamples();
  }

  /** Whether {@code pc} lies in the code cache's reserved range. */
  public boolean contains(long pc) {
    return codeCache.contains(pc);
  }

  /**
   * What the VM calls the code at {@code pc}: of the interpreter the codelet, of all else the blob.
   * For display; too slow for each sample.
   *
   * @return empty if there is none now
   */
  public String codeAt(long pc) {
    InterpreterCodelets.Codelet codelet = codelets.find(pc);
    if (codelet != null) {
      return codelet.description();
    }
    try {
      long address = contains(pc) ? codeCache.blobAt(pc) : 0;
      CodeBlob blob =
          address == 0 ? null : new BlobReader(layout, memory, new HotSpotMethods()).read(address);
      return blob == null ? "" : blob.name;
    } catch (UnreadableMemoryException e) {
      return "";
    }
  }

  /** The VM's threads. */
  public JavaThreads threads() {
    return new JavaThreads(layout, memory);
  }

  /** Names of the VM's threads from its heap, or null where they can't be read. */
  public ThreadObjects threadObjects() {
    return ThreadObjects.open(layout, memory);
  }

  /** Virtual threads in the VM's heap, or null where they can't be read. */
  public VirtualThreadObjects virtualThreadObjects() {
    return VirtualThreadObjects.open(layout, lasting);
  }

  /** How many Java threads the VM has started, or null where it does not count them. */
  public StartedThreadCount startedThreads() {
    return StartedThreadCount.find(layout, lasting);
  }

  /** Reads what threads wait for while they are blocked. */
  public BlockedJavaThread blockedThread() {
    return new BlockedJavaThread(layout, memory);
  }

  Cpu cpu() {
    return cpu;
  }

  /** The VM's collections, or null where they can't be read. Takes some milliseconds. */
  public GarbageCollections collections() {
    return GarbageCollections.open(layout, lasting);
  }

  /**
   * Begin and end of the addresses that the VM has reserved for the Java heap; both 0 if it does
   * not say, as with collectors whose heap is a memory file.
   */
  public long[] reservedHeap() {
    long[] range = new long[2];
    if (layout.heapReserved == null) {
      return range;
    }
    try {
      // A MemRegion: the first address and the number of words (memRegion.hpp).
      long region = memory.readLong(layout.collectedHeap.offset()) + layout.heapReserved.offset();
      range[0] = memory.readLong(region);
      range[1] = range[0] + Long.BYTES * memory.readLong(region + Long.BYTES);
    } catch (UnreadableMemoryException e) {
      range[0] = 0;
      range[1] = 0;
    }
    return range;
  }

  Layout layout() {
    return layout;
  }

  MemoryReader memory() {
    return memory;
  }

  /** The memory that frames are decoded with. */
  BoundedMemory bounded() {
    return bounded;
  }

  /** Code heaps directly where that can be, all else as {@link #bounded}. */
  MemoryReader lastingMemory() {
    return lasting;
  }

  /** Whether this VM runs, rather than being recorded memory. */
  boolean isLive() {
    return live;
  }

  CodeCache codeCache() {
    return codeCache;
  }

  InterpreterCodelets codelets() {
    return codelets;
  }

  Unloading unloading() {
    return unloading;
  }

  long callStubReturn() {
    return callStubReturn;
  }
}
