package stackweave.hotspot.code;

import stackweave.hotspot.model.FrameKind;

/**
 * A copy of a compiled method: where its code is entered and left, and which methods run at which
 * pc. The latter is {@link DebugInfo}, which is not kept.
 */
public final class Nmethod extends CodeBlob {
  /** comp_level 4: C2, or what stands in its place. */
  private static final int C2_LEVEL = 4;

  private static final int NOT_OSR = -1;

  public final Entries entries;

  Nmethod(CodeBlob blob, Entries entries) {
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
    this.entries = entries;
  }

  /**
   * Addresses in the code, and what goes with them.
   *
   * @param verified where callers that have checked the receiver enter: the prologue begins here
   * @param osr where on-stack replacement enters; only of {@link #isOsr} methods
   * @param stubs where the stubs behind the code begin: static call stubs, handlers
   * @param origPcOffset bytes above sp where a frame that is to be deoptimized keeps its pc
   */
  public record Entries(
      long verified,
      long osr,
      long stubs,
      long deoptHandler,
      long deoptMhHandler,
      int origPcOffset,
      int compLevel,
      int entryBci) {}

  /** Whether it is a native method's wrapper. */
  public boolean isNative() {
    return kind == BlobKind.NATIVE_NMETHOD;
  }

  /** Whether it was compiled for on-stack replacement. */
  public boolean isOsr() {
    return entries.entryBci != NOT_OSR;
  }

  /** The kind of its outermost Java frame, by compiler. */
  public FrameKind frameKind() {
    if (isNative()) {
      return FrameKind.NATIVE_METHOD;
    }
    if (entries.compLevel >= C2_LEVEL) {
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
    return pc == entries.deoptHandler || pc == entries.deoptMhHandler;
  }
}
