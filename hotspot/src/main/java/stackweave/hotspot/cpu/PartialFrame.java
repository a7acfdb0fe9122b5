package stackweave.hotspot.cpu;

/**
 * The state of an interrupted frame that is not complete, in bytes above sp.
 *
 * @param size from sp to the caller's sp
 * @param returnAddress where the return address is; {@link #IN_REGISTER} for the link register
 * @param savedFp where the caller's frame pointer was saved; {@link #IN_REGISTER} if it was not
 *     yet, or is restored already
 */
public record PartialFrame(int size, int returnAddress, int savedFp) {
  /** The word is in its register, not on the stack. */
  public static final int IN_REGISTER = -1;

  /** Only the frame link: the saved frame pointer, and the return address above. */
  public static final PartialFrame LINK = new PartialFrame(Cpu.FRAME_LINK_BYTES, Cpu.WORD, 0);
}
