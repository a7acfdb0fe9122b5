package stackweave.unwind.walk;

/**
 * How a frame was found from its callee, in the order of trust in which the ways are tried.
 *
 * <p>Codes are stored in recordings (with a legend): they are never reused or renumbered.
 */
public enum Found {
  /** The sample's own registers, unwind tables, or what HotSpot says of its frames. */
  TABLES(0, "unwind tables", false),
  /** The callee's instructions lead straight to its {@code ret}. */
  STRAIGHT(1, "straight to ret", false),
  /** All ways of the callee's instructions to {@code ret} agree. */
  FORWARD(2, "forward to ret", false),
  /** The same, where calls on the ways are taken to return with the stack as it was. */
  OVER_CALLS(3, "forward over calls", false),
  /** The callee's instructions from its start on: in recordings of older versions only. */
  FROM_START(4, "from function start", false),
  /** The frame pointer of a callee that waits for a call to return. */
  FRAME_POINTER(5, "frame pointer", false),
  /** The callee's instructions lead to a jump elsewhere, with a return address on top. */
  JUMP(6, "by jump", true),
  /** The frame pointer of an interrupted callee, which may be its caller's. */
  FRAME_POINTER_AT_LEAF(7, "by frame pointer", true),
  /** The nearest return address on the stack from which a walk reaches the first frame. */
  SEARCH(8, "found by search", true),
  /** What HotSpot says of the last Java frame; frames between it and the callee are missing. */
  AFTER_GAP(9, "after missing frames", true),
  /** Stack memory that was read after the sample, and may belong to another call. */
  READ_LATER(10, "read later", true);

  private static final Found[] BY_CODE = values();

  private final int code;
  private final String label;
  private final boolean guess;

  Found(int code, String label, boolean guess) {
    this.code = code;
    this.label = label;
    this.guess = guess;
  }

  /** The stable code in recordings. */
  public int code() {
    return code;
  }

  /** The name in legends. */
  public String label() {
    return label;
  }

  /** Whether it can be wrong, and so is shown. */
  public boolean isGuess() {
    return guess;
  }

  /** The way that has this {@link #code}. */
  public static Found ofCode(int code) {
    return BY_CODE[code];
  }
}
