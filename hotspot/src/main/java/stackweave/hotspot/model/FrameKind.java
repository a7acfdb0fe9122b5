package stackweave.hotspot.model;

/**
 * What sort of code a frame belongs to.
 *
 * <p>Codes are stored in recordings (with a legend): they are never reused or renumbered.
 */
public enum FrameKind {
  /** Machine code of a mapped module. */
  NATIVE(0, "native"),
  /** Kernel code. */
  KERNEL(1, "kernel"),
  /** A Java method run by the interpreter. */
  INTERPRETED(2, "interpreted"),
  /** A Java method compiled by C1. */
  C1(3, "C1"),
  /** A Java method compiled by C2 (or another tier-4 compiler). */
  C2(4, "C2"),
  /** A Java method inlined into the next outer compiled frame. */
  INLINED(5, "inlined"),
  /** A native Java method: the compiled or interpreted wrapper that calls its C function. */
  NATIVE_METHOD(6, "native method"),
  /** Code that HotSpot generates for itself: stubs, adapters, runtime blobs. */
  STUB(7, "stub"),
  /** Code in no module and no code blob that is known, such as another runtime's generated code. */
  UNKNOWN(8, "unknown"),
  /**
   * No code, but a mark between frames: where those of a continuation begin, which is what a
   * virtual thread runs as, or where some of them are in the heap instead of on the stack.
   */
  CONTINUATION(9, "continuation"),
  /** A Java method compiled by C1 from the middle of a loop on (on-stack replacement). */
  C1_OSR(10, "C1 OSR"),
  /** A Java method compiled by C2 from the middle of a loop on (on-stack replacement). */
  C2_OSR(11, "C2 OSR");

  private static final FrameKind[] BY_CODE = new FrameKind[12];

  static {
    for (FrameKind kind : values()) {
      BY_CODE[kind.code] = kind;
    }
  }

  private final int code;
  private final String label;

  FrameKind(int code, String label) {
    this.code = code;
    this.label = label;
  }

  /** The stable code in recordings. */
  public int code() {
    return code;
  }

  /** The name in legends. */
  public String label() {
    return label;
  }

  /** The kind of a code that {@link #code} gave. */
  public static FrameKind ofCode(int code) {
    return BY_CODE[code];
  }
}
