package stackweave.hotspot.frame;

import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.PartialFrame;
import stackweave.hotspot.pc.PcEntry;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Leaves stub routines: array copies, intrinsics, barriers. Most begin by setting up a frame
 * pointer, some have no frame. HotSpot describes none of them, so each way out is checked against
 * the caller it leads to.
 */
public final class StubFrame extends SearchedFrame {
  /** Stands in the slot of the return address in the frame of an nmethod entry barrier (x86-64). */
  private static final long ENTRY_BARRIER_MARK = -1;

  /** The largest frame of stub routines that native code calls. */
  private static final long MAX_FRAME_BYTES = 1024;

  private final StubCallSite callSite;

  public StubFrame(StubCallSite callSite, StackScan scan) {
    super(scan, StopReason.BAD_STUB_FRAME);
    this.callSite = callSite;
  }

  @Override
  boolean leave(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    return walk.interrupted()
        ? leaveToNative(walk) || callSite.toCaller(walk, entry) || leaveInterrupted(walk, entry)
        : leaveByFp(walk) || leavePartial(walk, walk.cpu().code.frameless);
  }

  /**
   * Leaves a stub that native code has called, as Unsafe.copyMemory calls the copy. Tried first,
   * because past calls of the stub by Java code may stand above the frame; but only where no word
   * inside the frame can be a call by Java code, whose fp might be that of an outer call stub.
   */
  private boolean leaveToNative(Walk walk) {
    long sp = walk.sp();
    long fp = walk.fp();
    if (!walk.isOnStack(fp) || fp - sp > MAX_FRAME_BYTES) {
      return false;
    }
    long pc = walk.peekReturnAddress(fp + Cpu.RETURN_ADDRESS);
    if (walk.isInCodeCache(pc) || !walk.isReturnAddress(pc)) {
      return false;
    }
    for (long slot = sp; slot < fp; slot += Cpu.WORD) {
      if (walk.isManaged(walk.peekReturnAddress(slot))) {
        return false;
      }
    }
    walk.popLink(pc, fp + Cpu.FRAME_LINK_BYTES, fp);
    return true;
  }

  private boolean leaveInterrupted(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    if (walk.cpu().code.isLinkOnTop(entry.code, PcEntry.CODE_BEFORE)
        && leavePartial(walk, PartialFrame.LINK)) {
      return true;
    }
    return (walk.isLinkSaved() || walk.isLinkIn(entry.blob)) && leaveByFp(walk)
        || leavePartial(walk, walk.cpu().code.frameless)
        || leaveByFp(walk);
  }

  private boolean leavePartial(Walk walk, PartialFrame frame) throws UnreadableMemoryException {
    long pc = walk.returnAddressOf(frame);
    if (!walk.isReturnAddress(pc)) {
      return false;
    }
    long fp = walk.callerFpOf(frame);
    boolean fpKnown = walk.isFpKnown() || frame.savedFp() != PartialFrame.IN_REGISTER;
    walk.popTo(pc, walk.sp() + frame.size());
    if (fpKnown) {
      walk.setFp(fp);
    }
    return true;
  }

  private boolean leaveByFp(Walk walk) {
    long fp = walk.fp();
    if (!walk.isOnStack(fp)) {
      return false;
    }
    long returnSlot = fp + Cpu.RETURN_ADDRESS;
    long pc = walk.peekReturnAddress(returnSlot);
    if (pc == ENTRY_BARRIER_MARK) {
      // The frame of a nmethod entry barrier: its return address has a mark in front.
      returnSlot += Cpu.WORD;
      pc = walk.peekReturnAddress(returnSlot);
    }
    if (!walk.isReturnAddress(pc)) {
      return false;
    }
    walk.popLink(pc, returnSlot + Cpu.WORD, fp);
    return true;
  }
}
