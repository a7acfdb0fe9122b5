package stackweave.hotspot;

import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * A HotSpot VM whose structures are understood: where its code cache, interpreter and threads are.
 * Immutable; what is decoded and cached of it belongs to the {@link MixedUnwinder}s.
 */
public final class HotSpot {
  private final Layout layout;
  private final MemoryReader memory;
  private final CodeCache codeCache;
  private final InterpreterCodelets codelets;
  private final long callStubReturn;

  private HotSpot(Layout layout, MemoryReader memory)
      throws UnreadableMemoryException, UnsupportedVmException {
    this.layout = layout;
    this.memory = memory;
    this.codeCache = new CodeCache(layout, memory);
    this.codelets = new InterpreterCodelets(layout, memory);
    this.callStubReturn = memory.readLong(layout.callStubReturn.offset());
  }

  /**
   * Reads libjvm's description of itself. Takes some ten milliseconds.
   *
   * @param libjvm the exported symbols of the process's libjvm
   * @param memory of the process; read from the calling thread now and from the unwinding thread
   *     later
   * @throws UnsupportedVmException if anything that frames need is not described, with all of that
   *     in its one-line message
   */
  public static HotSpot open(SymbolAddresses libjvm, MemoryReader memory)
      throws UnsupportedVmException {
    VmStructs structs = VmStructs.read(libjvm, memory);
    try {
      return new HotSpot(new Layout(structs, featureVersion(structs, memory)), memory);
    } catch (UnreadableMemoryException e) {
      throw new UnsupportedVmException(
          "this JDK is not supported for Java frames: its code cache can't be read ("
              + e.reason().label()
              + ")");
    }
  }

  private static int featureVersion(VmStructs structs, MemoryReader memory)
      throws UnsupportedVmException, UnreadableMemoryException {
    Field major = structs.field("Abstract_VM_Version", "_vm_major_version");
    if (major == null) {
      throw new UnsupportedVmException(
          "this JDK is not supported for Java frames: missing"
              + " Abstract_VM_Version::_vm_major_version");
    }
    return (int) memory.readLong(major.offset());
  }

  /** The JDK's feature version, such as 17 or 25. */
  public int featureVersion() {
    return layout.featureVersion;
  }

  /** Whether {@code pc} lies in the code cache's reserved range. */
  public boolean contains(long pc) {
    return codeCache.contains(pc);
  }

  /** The VM's threads. */
  public JavaThreads threads() {
    return new JavaThreads(layout, memory);
  }

  Layout layout() {
    return layout;
  }

  MemoryReader memory() {
    return memory;
  }

  CodeCache codeCache() {
    return codeCache;
  }

  InterpreterCodelets codelets() {
    return codelets;
  }

  long callStubReturn() {
    return callStubReturn;
  }
}
