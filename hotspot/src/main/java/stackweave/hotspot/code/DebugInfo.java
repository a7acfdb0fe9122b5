package stackweave.hotspot.code;

import stackweave.hotspot.memory.MemoryCopy;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The debug information of one compiled method: PcDescs, scopes and metadata. There is one object,
 * into which {@link BlobReader} copies that of the method at hand: it is needed for new pcs only,
 * and of all methods it would be the largest part of the caches. Reused; not thread-safe.
 */
public final class DebugInfo {
  /** {@link #scopeAt} of a pc without Java frames. */
  public static final int NO_SCOPE = -1;

  /** Bytes of PcDescs and scopes that are kept; larger ones only as long as they are needed. */
  private static final int MAX_KEPT = 256 << 10;

  /** The offset in the first PcDesc, which is a guard (pcDesc.hpp, JDK 17 to 27). */
  private static final int LOWER_LIMIT = -1;

  private final Layout layout;

  /** PcDescs and scopes, which lie beside each other. */
  private MemoryCopy data = new MemoryCopy(1 << 14);

  private final MemoryCopy metadata = new MemoryCopy(1 << 10);
  private Nmethod code;
  private int firstPcDesc;
  private int pcDescs;
  private int firstScope;
  private int scopesEnd;

  DebugInfo(Layout layout) {
    this.layout = layout;
  }

  /** Whether it is that of {@code method}. */
  boolean isOf(Nmethod method) {
    return code == method;
  }

  /** Says whose information it is: that of {@code method}, or, if null, of none. */
  void setOf(Nmethod method) {
    code = method;
  }

  /** Copies PcDescs and scopes, of which either are first. */
  void copyScopes(MemoryReader memory, long pcsFrom, long pcsTo, long scopesFrom, long scopesTo)
      throws UnreadableMemoryException {
    long from = Math.min(pcsFrom, scopesFrom);
    int length = (int) (Math.max(pcsTo, scopesTo) - from);
    if (data.length() > MAX_KEPT && length <= MAX_KEPT) {
      data = new MemoryCopy(1 << 14);
    }
    data.copy(memory, from, length);
    firstPcDesc = (int) (pcsFrom - from);
    pcDescs = (int) (pcsTo - pcsFrom) / layout.pcDescSize;
    firstScope = (int) (scopesFrom - from);
    scopesEnd = (int) (scopesTo - from);
  }

  void copyMetadata(MemoryReader memory, long from, long to) throws UnreadableMemoryException {
    metadata.copy(memory, from, (int) (to - from));
  }

  /**
   * Whether the PcDescs of {@code method} have the guards before and behind all others; the wrapper
   * of a native method may have none at all. They lie outside of the code cache in JDK 23 and
   * later, where a method that is being made or freed has other words.
   */
  boolean isWhole(Nmethod method) {
    return pcDescs == 0 && method.isNative()
        || pcDescs > 1
            && (int) pcOffset(0) == LOWER_LIMIT
            && pcOffset(pcDescs - 1) > pcOffset(pcDescs - 2);
  }

  /** Whether debug information was recorded for exactly this pc. */
  public boolean hasPcDesc(long pc) {
    int i = search(pc);
    return i < pcDescs && pcOffset(i) == pc - code.codeBegin;
  }

  /** Where the innermost scope at {@code pc} begins: that of the first PcDesc not before it. */
  public int scopeAt(long pc) {
    int i = search(pc);
    // The last one is a guard behind all code.
    return i < pcDescs - 1
        ? (int) layout.pcDescScopeOffset.in(data, firstPcDesc + i * layout.pcDescSize)
        : NO_SCOPE;
  }

  /** The first PcDesc that is not before {@code pc}; they are in ascending order. */
  private int search(long pc) {
    long offset = pc - code.codeBegin;
    int low = 0;
    int high = pcDescs;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (pcOffset(middle) < offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private long pcOffset(int pcDesc) {
    return layout.pcDescPcOffset.in(data, firstPcDesc + pcDesc * layout.pcDescSize);
  }

  /** The bytes that have the scopes; neither to be changed nor kept. */
  public byte[] bytes() {
    return data.bytes();
  }

  /** Where a scope begins in {@link #bytes}; their end for what is none. */
  public int positionOf(int scope) {
    return scope >= 0 && scope < scopesEnd - firstScope ? firstScope + scope : scopesEnd;
  }

  /** Where the scopes end in {@link #bytes}. */
  public int scopesEnd() {
    return scopesEnd;
  }

  /** The Method* of a scope's method number, or 0 where it has none. */
  public long metadata(int number) {
    return number > 0 && number <= metadata.length() / Long.BYTES
        ? metadata.i8(Long.BYTES * (number - 1))
        : 0;
  }
}
