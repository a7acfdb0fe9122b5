package stackweave.hotspot;

import stackweave.unwind.UnreadableMemoryException;

/**
 * {@code generate_fixed_frame} and {@code remove_activation} of AArch64. The return address stays
 * in the link register until the frame stands, and is there again once the frame link was popped.
 */
final class Aarch64InterpreterEdge implements InterpreterEdge {
  /** Farther from sp than any caller's sp that a register holds at a method's entry. */
  private static final long MOST_LOCALS_BYTES = 1 << 20;

  private final Callers callers;

  Aarch64InterpreterEdge(Callers callers) {
    this.callers = callers;
  }

  /**
   * The slot for the caller's sp is written last, from its register: where both are the same the
   * frame is complete. An entry that calls the VM does so when its frame stands; the register may
   * hold anything then, but the link register leads back into the entry.
   */
  @Override
  public boolean isEntering(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    long link = walk.topReturnAddress();
    long senderSp = walk.valueOf(walk.cpu().senderSp());
    boolean called = link >= entry.codelet.begin() && link < entry.codelet.end();
    return !called
        && Math.abs(senderSp - walk.sp()) < MOST_LOCALS_BYTES
        && walk.peek(walk.fp() + Cpu.SENDER_SP) != senderSp
        && callers.isHotSpotReturnAddress(link);
  }

  @Override
  public boolean leaveEntering(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    long pc = walk.topReturnAddress();
    if (!callers.isHotSpotReturnAddress(pc)) {
      return false;
    }
    long senderSp = walk.valueOf(walk.cpu().senderSp());
    boolean plausible = walk.isOnStack(senderSp) && senderSp - walk.sp() < MOST_LOCALS_BYTES;
    // The frame pointer is the method's own right before the caller's sp is stored.
    boolean own = Aarch64Code.isFpSetBefore(entry.code, PcEntry.CODE_BEFORE);
    long fp = own ? walk.read(walk.fp() + Cpu.SAVED_FP) : walk.fp();
    walk.toCaller(pc, plausible ? senderSp : walk.sp(), fp);
    return true;
  }

  /** {@code ldp x29, x30, [sp], #16; and sp, x20, #-16; ret}: x20 is the caller's sp already. */
  @Override
  public boolean isLeaving(PcEntry entry) {
    byte[] code = entry.code;
    int at = PcEntry.CODE_BEFORE;
    int next = at + Aarch64Code.INSTRUCTION;
    int before = at - Aarch64Code.INSTRUCTION;
    return Aarch64Code.isPopLink(code, at) && Aarch64Code.isMoveOfEspToSp(code, next)
        || Aarch64Code.isMoveOfEspToSp(code, at) && Aarch64Code.isPopLink(code, before)
        || Aarch64Code.isReturn(code, at) && Aarch64Code.isMoveOfEspToSp(code, before);
  }

  @Override
  public boolean leaveLeaving(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    byte[] code = entry.code;
    int at = PcEntry.CODE_BEFORE;
    PartialFrame frame =
        Aarch64Code.isPopLink(code, at) ? PartialFrame.LINK : Aarch64Code.FRAMELESS;
    long pc = walk.returnAddressOf(frame);
    if (!callers.isHotSpotReturnAddress(pc)) {
      return false;
    }
    // Below sp where the caller is interpreted too: its expression stack had room to spare.
    long esp = walk.valueOf(Aarch64.X20) & -2 * Cpu.WORD;
    boolean lower = Aarch64Code.isReturn(code, at) || !walk.isOnStack(esp);
    walk.toCaller(pc, lower ? walk.sp() + frame.size() : esp, walk.callerFpOf(frame));
    return true;
  }
}
