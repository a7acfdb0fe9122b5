package stackweave.unwind;

/**
 * Memory that could not be read, with the reason a stack ends there.
 *
 * <p>Thrown on the per-frame path, so there are three shared instances without stack traces and no
 * others.
 */
public final class UnreadableMemoryException extends Exception {
  private static final long serialVersionUID = 1L;

  /** The address lies on the sampled stack, but above what was copied of it. */
  public static final UnreadableMemoryException BEYOND_COPY =
      new UnreadableMemoryException(StopReason.TRUNCATED);

  /** The address is not mapped, not readable, or not part of what was recorded. */
  public static final UnreadableMemoryException UNREADABLE =
      new UnreadableMemoryException(StopReason.UNREADABLE_MEMORY);

  /** No stack was copied: what is there now is not what was there at the sample. */
  public static final UnreadableMemoryException STACK_UNKNOWN =
      new UnreadableMemoryException(StopReason.STACK_UNKNOWN);

  private final StopReason reason;

  private UnreadableMemoryException(StopReason reason) {
    super(reason.label(), null, false, false);
    this.reason = reason;
  }

  /** Why a stack that needs this memory ends. */
  public StopReason reason() {
    return reason;
  }
}
