package stackweave.hotspot.code;

import java.util.Arrays;
import stackweave.hotspot.model.FrameKind;

/**
 * A copy of a compiled method: where its code is entered and left, and which methods run at which
 * pc. Has its own PcDescs, scopes and metadata, so that decoding a pc reads no memory of the VM but
 * the names of methods.
 */
public final class Nmethod extends CodeBlob {
  public static final int NO_SCOPE = -1;

  /** comp_level 4: C2, or what stands in its place. */
  private static final int C2_LEVEL = 4;

  private static final int NOT_OSR = -1;

  public final long verifiedEntry;
  public final long osrEntry;
  public final long stubBegin;
  final long deoptHandler;
  final long deoptMhHandler;
  public final int origPcOffset;
  final int compLevel;
  final int entryBci;
  private final int[] pcOffsets;
  private final int[] scopeOffsets;
  private final byte[] scopes;
  private final long[] metadata;

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
    pcOffsets = debug.pcOffsets;
    scopeOffsets = debug.scopeOffsets;
    scopes = debug.scopes;
    metadata = debug.metadata;
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
  record Debug(int[] pcOffsets, int[] scopeOffsets, byte[] scopes, long[] metadata) {}

  public boolean isNative() {
    return kind == BlobKind.NATIVE_NMETHOD;
  }

  public boolean isOsr() {
    return entryBci != NOT_OSR;
  }

  public FrameKind frameKind() {
    if (isNative()) {
      return FrameKind.NATIVE_METHOD;
    }
    if (compLevel >= C2_LEVEL) {
      return isOsr() ? FrameKind.C2_OSR : FrameKind.C2;
    }
    return isOsr() ? FrameKind.C1_OSR : FrameKind.C1;
  }

  public long method() {
    return identity().method();
  }

  public boolean isDeoptHandler(long pc) {
    return pc == deoptHandler || pc == deoptMhHandler;
  }

  public boolean hasPcDesc(long pc) {
    return Arrays.binarySearch(pcOffsets, (int) (pc - codeBegin)) >= 0;
  }

  /** Offset in the scopes of the innermost scope at {@code pc}: the first PcDesc not before it. */
  public int scopeAt(long pc) {
    int i = Arrays.binarySearch(pcOffsets, (int) (pc - codeBegin));
    if (i < 0) {
      i = -i - 1;
    }
    // The last one is a guard behind all code.
    return i < pcOffsets.length - 1 ? scopeOffsets[i] : NO_SCOPE;
  }

  public byte[] scopes() {
    return scopes;
  }

  /** The Method* of a scope's method number, or 0 where it has none. */
  public long metadata(int number) {
    return number > 0 && number <= metadata.length ? metadata[number - 1] : 0;
  }

  /** Heap bytes that the copies take, roughly. */
  int weight() {
    return 256 + 8 * pcOffsets.length + scopes.length + 8 * metadata.length;
  }
}
