package stackweave.hotspot.code;

import java.util.Arrays;
import stackweave.hotspot.model.FrameKind;

/**
 * A copy of a compiled method: where its code is entered and left, and which methods run at which
 * pc. Has its own PcDescs, scopes and metadata, so that decoding a pc reads no memory of the VM but
 * the names of methods. They take most of a copy's memory and are asked for new pcs only, so {@link
 * BlobCache} drops those that were read long ago.
 */
public final class Nmethod extends CodeBlob {
  /** {@link #scopeAt} of a pc without Java frames. */
  public static final int NO_SCOPE = -1;

  /** comp_level 4: C2, or what stands in its place. */
  private static final int C2_LEVEL = 4;

  private static final int NOT_OSR = -1;

  /** Where callers that have checked the receiver enter: the prologue begins here. */
  public final long verifiedEntry;

  /** Where on-stack replacement enters; only of {@link #isOsr} methods. */
  public final long osrEntry;

  /** Where the stubs behind the code begin: static call stubs, handlers. */
  public final long stubBegin;

  final long deoptHandler;
  final long deoptMhHandler;

  /** Bytes above sp where a frame that is to be deoptimized keeps its pc. */
  public final int origPcOffset;

  final int compLevel;
  final int entryBci;

  /** Null while it is dropped: {@link BlobCache#isDecodable} has it read again. */
  private Debug debug;

  Nmethod(CodeBlob blob, Entries entries, Debug debug) {
    super(
        blob.address,
        blob.kind,
        blob.name,
        blob.nameId,
        blob.codeBegin,
        blob.codeEnd,
        blob.frameBytes,
        blob.frameComplete,
        blob.identity());
    verifiedEntry = entries.verified;
    osrEntry = entries.osr;
    stubBegin = entries.stubs;
    deoptHandler = entries.deoptHandler;
    deoptMhHandler = entries.deoptMhHandler;
    origPcOffset = entries.origPcOffset;
    compLevel = entries.compLevel;
    entryBci = entries.entryBci;
    this.debug = debug;
  }

  /** Addresses in the code, and what goes with them. */
  record Entries(
      long verified,
      long osr,
      long stubs,
      long deoptHandler,
      long deoptMhHandler,
      int origPcOffset,
      int compLevel,
      int entryBci) {}

  /** The copies: PcDescs by ascending pc, the scopes' bytes, the metadata words. */
  record Debug(int[] pcOffsets, int[] scopeOffsets, byte[] scopes, long[] metadata) {
    /** Heap bytes that they take, roughly. */
    int weight() {
      return 128 + 8 * pcOffsets.length + scopes.length + 8 * metadata.length;
    }
  }

  /** The copies, or null while they are dropped. */
  Debug debug() {
    return debug;
  }

  /**
   * @param copies null drops them
   */
  void setDebug(Debug copies) {
    debug = copies;
  }

  /** Whether it is a native method's wrapper. */
  public boolean isNative() {
    return kind == BlobKind.NATIVE_NMETHOD;
  }

  /** Whether it was compiled for on-stack replacement. */
  public boolean isOsr() {
    return entryBci != NOT_OSR;
  }

  /** The kind of its outermost Java frame, by compiler. */
  public FrameKind frameKind() {
    if (isNative()) {
      return FrameKind.NATIVE_METHOD;
    }
    if (compLevel >= C2_LEVEL) {
      return isOsr() ? FrameKind.C2_OSR : FrameKind.C2;
    }
    return isOsr() ? FrameKind.C1_OSR : FrameKind.C1;
  }

  /** The Method* that was compiled. */
  public long method() {
    return identity().method();
  }

  /** Whether {@code pc} is where a frame returns that is to be deoptimized. */
  public boolean isDeoptHandler(long pc) {
    return pc == deoptHandler || pc == deoptMhHandler;
  }

  /** Whether debug information was recorded for exactly this pc. */
  public boolean hasPcDesc(long pc) {
    return Arrays.binarySearch(debug.pcOffsets, (int) (pc - codeBegin)) >= 0;
  }

  /** Offset in the scopes of the innermost scope at {@code pc}: the first PcDesc not before it. */
  public int scopeAt(long pc) {
    int i = Arrays.binarySearch(debug.pcOffsets, (int) (pc - codeBegin));
    if (i < 0) {
      i = -i - 1;
    }
    // The last one is a guard behind all code.
    return i < debug.pcOffsets.length - 1 ? debug.scopeOffsets[i] : NO_SCOPE;
  }

  /** The bytes of all scopes; not to be changed. */
  public byte[] scopes() {
    return debug.scopes;
  }

  /** The Method* of a scope's method number, or 0 where it has none. */
  public long metadata(int number) {
    long[] metadata = debug.metadata;
    return number > 0 && number <= metadata.length ? metadata[number - 1] : 0;
  }
}
