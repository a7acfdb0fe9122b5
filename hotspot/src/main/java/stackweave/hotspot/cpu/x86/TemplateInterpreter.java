package stackweave.hotspot.cpu.x86;

import java.util.function.LongPredicate;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.FrameState;
import stackweave.hotspot.cpu.InterpreterEdge;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The template interpreter's frame set-up and removal on x86-64 ({@code generate_fixed_frame} and
 * {@code remove_activation}). The return address is on the stack, and while the frame is removed in
 * r13.
 */
final class TemplateInterpreter implements InterpreterEdge {
  /** At a method's entry, a value farther than this above sp is not the caller's sp. */
  private static final long MAX_LOCALS_BYTES = 1 << 20;

  private final LongPredicate returnAddresses;
  private final Bytecodes bytecodes;

  TemplateInterpreter(LongPredicate returnAddresses, Bytecodes bytecodes) {
    this.returnAddresses = returnAddresses;
    this.bytecodes = bytecodes;
  }

  /**
   * r13 holds the caller's sp until the frame is set up, then the bytecode pointer: which of both
   * it is tells whether the frame is complete.
   */
  @Override
  public boolean isEntering(FrameState frame, long codeletBegin, long codeletEnd) {
    long r13 = frame.valueOf(RegisterNumbers.R13);
    if (bytecodes.contains(frame.valueOf(RegisterNumbers.RBX), r13)) {
      return false;
    }
    return r13 > frame.sp() && r13 - frame.sp() < MAX_LOCALS_BYTES;
  }

  @Override
  public boolean leaveEntering(FrameState frame, byte[] code) throws UnreadableMemoryException {
    long sp = frame.sp();
    long r13 = frame.valueOf(RegisterNumbers.R13);
    long fp = frame.fp();
    long senderSp = r13 > sp && r13 - sp < MAX_LOCALS_BYTES ? r13 : 0;
    long top = frame.read(sp);
    if (fp >= sp && fp - sp <= Cpu.FRAME_LINK_BYTES) {
      long pc = frame.peekReturnAddress(fp + Cpu.RETURN_ADDRESS);
      if (returnAddresses.test(pc)) {
        long callerFp = frame.read(fp);
        frame.toCaller(pc, senderSp != 0 ? senderSp : fp + Cpu.FRAME_LINK_BYTES, callerFp);
        return true;
      }
    }
    if (top == fp && returnAddresses.test(frame.peek(sp + Cpu.WORD))) {
      // push rbp done, mov rbp, rsp not yet
      long pc = frame.read(sp + Cpu.WORD);
      frame.toCaller(pc, senderSp != 0 ? senderSp : sp + Cpu.FRAME_LINK_BYTES);
      return true;
    }
    if (returnAddresses.test(top)) {
      frame.toCaller(top, senderSp != 0 ? senderSp : sp + Cpu.WORD);
      return true;
    }
    long rax = frame.valueOf(RegisterNumbers.RAX);
    if (returnAddresses.test(rax)) {
      frame.toCaller(rax, senderSp != 0 ? senderSp : sp);
      return true;
    }
    return false;
  }

  /** Behind {@code leave}: pop r13; mov rsp, rbx; jmp r13. */
  @Override
  public boolean isLeaving(byte[] code) {
    int at = Cpu.CODE_WINDOW;
    return HotSpotCodePatterns.isPopR13(code, at)
            && HotSpotCodePatterns.isMoveOfRbxToSp(code, at + 2)
        || HotSpotCodePatterns.isMoveOfRbxToSp(code, at)
            && HotSpotCodePatterns.isPopR13(code, at - 2)
        || HotSpotCodePatterns.isJumpToR13(code, at)
            && HotSpotCodePatterns.isMoveOfRbxToSp(code, at - 3);
  }

  @Override
  public boolean leaveLeaving(FrameState frame, byte[] code) throws UnreadableMemoryException {
    int at = Cpu.CODE_WINDOW;
    long pc =
        HotSpotCodePatterns.isPopR13(code, at)
            ? frame.read(frame.sp())
            : frame.valueOf(RegisterNumbers.R13);
    long sp =
        HotSpotCodePatterns.isJumpToR13(code, at) ? frame.sp() : frame.valueOf(RegisterNumbers.RBX);
    if (!returnAddresses.test(pc) || !frame.isOnStack(sp)) {
      return false;
    }
    frame.toCaller(pc, sp);
    return true;
  }
}
