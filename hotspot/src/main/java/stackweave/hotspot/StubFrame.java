package stackweave.hotspot;

import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Stub routines: array copies, intrinsics, barriers. Most begin with {@code push rbp; mov rbp,
 * rsp}; some have no frame. HotSpot describes none of them, so each way out is validated.
 */
final class StubFrame implements HotSpotFrame {
  private final Callers callers;
  private final StubCallSite callSite;
  private final StackScan scan;

  StubFrame(Callers callers, StubCallSite callSite, StackScan scan) {
    this.callers = callers;
    this.callSite = callSite;
    this.scan = scan;
  }

  @Override
  public StopReason step(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    StopReason full = walk.addStub(entry);
    if (full != null) {
      return full;
    }
    boolean left =
        walk.interrupted()
            ? callSite.toCaller(walk, entry) || leaveInterrupted(walk, entry)
            : leaveByFp(walk) || leaveByTop(walk, 0);
    return left || scan.toCaller(walk, walk.sp()) ? null : StopReason.BAD_STUB_FRAME;
  }

  private boolean leaveInterrupted(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    byte[] code = entry.code;
    int at = PcEntry.CODE_BEFORE;
    if (X86Code.isPushFp(code, at - 1) && X86Code.isMoveOfSpToFp(code, at)
        || X86Code.isPopFp(code, at) && X86Code.isReturn(code, at + 1)) {
      long fp = walk.read(walk.sp());
      if (leaveByTop(walk, X86.WORD)) {
        walk.registers().set(X86.RBP, fp);
        return true;
      }
    }
    return leaveByTop(walk, 0) || leaveByFp(walk);
  }

  private boolean leaveByTop(Walk walk, int pushed) throws UnreadableMemoryException {
    long slot = walk.sp() + pushed;
    long pc = walk.read(slot);
    if (!callers.isReturnAddress(walk, pc)) {
      return false;
    }
    walk.popTo(pc, slot + X86.WORD);
    return true;
  }

  private boolean leaveByFp(Walk walk) {
    long fp = walk.valueOf(X86.RBP);
    if (!walk.isOnStack(fp)) {
      return false;
    }
    long returnSlot = fp + X86.RETURN_ADDRESS;
    long pc = walk.peek(returnSlot);
    if (pc == X86.ENTRY_BARRIER_MARK) {
      // The frame of a nmethod entry barrier: its return address has a mark in front.
      returnSlot += X86.WORD;
      pc = walk.peek(returnSlot);
    }
    if (!callers.isReturnAddress(walk, pc)) {
      return false;
    }
    long callerFp = walk.peek(fp + X86.SAVED_FP);
    walk.popTo(pc, returnSlot + X86.WORD);
    walk.registers().set(X86.RBP, callerFp);
    return true;
  }
}
