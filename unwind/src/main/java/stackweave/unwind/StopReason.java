package stackweave.unwind;

/**
 * Why a stack ends where it ends, with the code that each reason has in recordings.
 *
 * <p>Codes are stored in recordings (with a legend): they are never reused or renumbered.
 */
public enum StopReason {
  /** The thread's first frame was reached: undefined RA in the module's own CFI. */
  COMPLETE(0, "complete"),
  /** The thread's first frame was reached: a known thread entry, without CFI that says so. */
  THREAD_ENTRY(1, "thread entry"),
  /** The copy of the stack ends below the word needed next. */
  TRUNCATED(2, "truncated"),
  /** The memory needed next is not mapped or not readable. */
  UNREADABLE_MEMORY(3, "unreadable memory"),
  /** The pc lies in no mapped module and not in the code cache. */
  NO_MODULE(4, "pc in no module"),
  /** The module has no unwind information for the pc. */
  NO_RULE(5, "no unwind information for pc"),
  /** The unwind information says something that a rule can't express. */
  UNSUPPORTED_RULE(6, "unwind rule not expressible"),
  /** The rule needs a register whose value was lost further in. */
  UNKNOWN_REGISTER(7, "register value unknown"),
  /** The caller's stack pointer is not above the callee's. */
  NOT_ADVANCING(8, "stack pointer does not advance"),
  /** The return address is null where the unwind information promises a caller. */
  NULL_RETURN_ADDRESS(9, "null return address"),
  /** More frames than the configured depth. */
  TOO_DEEP(10, "too deep"),
  /** The sample carries neither user registers nor frames of the kernel. */
  NO_REGISTERS(11, "no user registers"),
  /** The pc is in the code cache, in a blob that was freed or that is not understood. */
  UNKNOWN_BLOB(12, "unknown code blob"),
  /** The interpreter frame's slots do not describe a method and a caller. */
  BAD_INTERPRETER_FRAME(13, "bad interpreter frame"),
  /** A compiled frame whose caller is not a return address at any known layout. */
  BAD_COMPILED_FRAME(14, "bad compiled frame"),
  /** A stub, adapter or runtime blob whose caller could not be found. */
  BAD_STUB_FRAME(15, "bad stub frame"),
  /** Frames of HotSpot on a JDK whose structures are not understood. */
  UNSUPPORTED_VM(16, "JDK not supported"),
  /** The decoder failed on this sample; the failure is counted and the sample kept. */
  INTERNAL_ERROR(17, "internal error"),
  /**
   * The thread's first frame was reached, by frames above the copy that were read from the live
   * stack after the sample; see {@code OlderStack}.
   */
  SPLICED(18, "complete with older frames read later"),
  /** More frames than the configured depth, some of them read as for {@link #SPLICED}. */
  SPLICED_TOO_DEEP(19, "too deep with older frames read later"),
  /**
   * The stack was not copied, because it is not known for certain where it ends: that of a
   * coroutine, an alternate signal stack, the stack of a thread that the C library does not know.
   * The innermost function, which needs no stack, is there.
   */
  STACK_UNKNOWN(20, "stack unknown"),
  /** The thread's first frame was reached, by frames some of which are marked as guesses. */
  GUESSED(21, "complete with guessed frames"),
  /** The thread's first frame was reached, from a return address found by searching the stack. */
  SEARCHED(22, "complete by search of the stack"),
  /** The thread's first frame was reached, but frames further in are missing. */
  GAP(23, "missing frames"),
  /** Time of a waiting thread without a stack: it ran, or had ended, when it was read. */
  NOT_READ(24, "no stack was read");

  private final int code;
  private final String label;

  StopReason(int code, String label) {
    this.code = code;
    this.label = label;
  }

  /** The stable code in recordings. */
  public int code() {
    return code;
  }

  /** A short text for users, as they stand after {@code [stopped: } in collapsed stacks. */
  public String label() {
    return label;
  }

  /** Whether the stack reached the thread's first frame, with no frames missing on the way. */
  public boolean isComplete() {
    return this == COMPLETE || this == THREAD_ENTRY || this == SPLICED || hasGuesses();
  }

  /** Whether frames on the way may be wrong; these are marked. */
  public boolean hasGuesses() {
    return this == GUESSED || this == SEARCHED;
  }
}
