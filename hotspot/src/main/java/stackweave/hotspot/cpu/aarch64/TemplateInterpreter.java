package stackweave.hotspot.cpu.aarch64;

import java.util.function.LongPredicate;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.FrameState;
import stackweave.hotspot.cpu.InterpreterEdge;
import stackweave.hotspot.cpu.PartialFrame;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The template interpreter's frame set-up and removal on AArch64 ({@code generate_fixed_frame} and
 * {@code remove_activation}). The return address is in the link register until the frame is
 * complete, and again after the frame link was popped.
 */
final class TemplateInterpreter implements InterpreterEdge {
  /** At a method's entry, a value farther than this from sp is not the caller's sp. */
  private static final long MAX_LOCALS_BYTES = 1 << 20;

  private final LongPredicate returnAddresses;
  private final int senderSpRegister;

  TemplateInterpreter(LongPredicate returnAddresses, int senderSpRegister) {
    this.returnAddresses = returnAddresses;
    this.senderSpRegister = senderSpRegister;
  }

  /**
   * The slot for the caller's sp is written last, from its register: where both are the same the
   * frame is complete. An entry that calls the VM does so when its frame stands; the register may
   * hold anything then, but the link register leads back into the entry.
   */
  @Override
  public boolean isEntering(FrameState frame, long codeletBegin, long codeletEnd)
      throws UnreadableMemoryException {
    long link = frame.topReturnAddress();
    long senderSp = frame.valueOf(senderSpRegister);
    boolean called = link >= codeletBegin && link < codeletEnd;
    return !called
        && Math.abs(senderSp - frame.sp()) < MAX_LOCALS_BYTES
        && frame.peek(frame.fp() + Cpu.SENDER_SP) != senderSp
        && returnAddresses.test(link);
  }

  @Override
  public boolean leaveEntering(FrameState frame, byte[] code) throws UnreadableMemoryException {
    long pc = frame.topReturnAddress();
    if (!returnAddresses.test(pc)) {
      return false;
    }
    long senderSp = frame.valueOf(senderSpRegister);
    boolean plausible = frame.isOnStack(senderSp) && senderSp - frame.sp() < MAX_LOCALS_BYTES;
    // The frame pointer is the method's own right before the caller's sp is stored.
    boolean own = HotSpotCodePatterns.isFpSetBefore(code, Cpu.CODE_WINDOW);
    long fp = own ? frame.read(frame.fp() + Cpu.SAVED_FP) : frame.fp();
    frame.toCaller(pc, plausible ? senderSp : frame.sp(), fp);
    return true;
  }

  /** {@code ldp x29, x30, [sp], #16; and sp, x20, #-16; ret}: x20 is the caller's sp already. */
  @Override
  public boolean isLeaving(byte[] code) {
    int at = Cpu.CODE_WINDOW;
    int next = at + Instruction.LENGTH;
    int before = at - Instruction.LENGTH;
    return HotSpotCodePatterns.isPopLink(code, at)
            && HotSpotCodePatterns.isMoveOfEspToSp(code, next)
        || HotSpotCodePatterns.isMoveOfEspToSp(code, at)
            && HotSpotCodePatterns.isPopLink(code, before)
        || Instruction.at(code, at) == Instruction.RETURN
            && HotSpotCodePatterns.isMoveOfEspToSp(code, before);
  }

  @Override
  public boolean leaveLeaving(FrameState frame, byte[] code) throws UnreadableMemoryException {
    int at = Cpu.CODE_WINDOW;
    PartialFrame partial =
        HotSpotCodePatterns.isPopLink(code, at) ? PartialFrame.LINK : HotSpotCodePatterns.FRAMELESS;
    long pc = frame.returnAddressOf(partial);
    if (!returnAddresses.test(pc)) {
      return false;
    }
    // Below sp where the caller is interpreted too: its expression stack had room to spare.
    long esp = frame.valueOf(RegisterNumbers.X20) & -2 * Cpu.WORD;
    boolean lower = Instruction.at(code, at) == Instruction.RETURN || !frame.isOnStack(esp);
    frame.toCaller(pc, lower ? frame.sp() + partial.size() : esp, frame.callerFpOf(partial));
    return true;
  }
}
