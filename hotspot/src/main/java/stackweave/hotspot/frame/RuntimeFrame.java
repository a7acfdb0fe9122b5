package stackweave.hotspot.frame;

import stackweave.hotspot.code.BlobKind;
import stackweave.hotspot.cpu.CodePatterns;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.PartialFrame;
import stackweave.hotspot.pc.PcEntry;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Leaves blobs through which compiled code calls the VM (C1's and C2's runtime stubs, call
 * resolution, safepoint polls, foreign calls) and deoptimization blobs. Their frame size is right
 * only while the frame is complete, so it is used only where it leads to a caller that makes sense.
 */
public final class RuntimeFrame extends SearchedFrame {
  private final Callers callers;
  private final StubCallSite callSite;

  public RuntimeFrame(Callers callers, StubCallSite callSite, StackScan scan) {
    super(scan, StopReason.BAD_STUB_FRAME);
    this.callers = callers;
    this.callSite = callSite;
  }

  @Override
  boolean leave(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    if (walk.interrupted() && (leaveThrowing(walk, entry) || leaveInterrupted(walk, entry))) {
      return true;
    }
    return unbuilt(walk, entry) == null && leaveBySize(walk, entry)
        || !walk.interrupted() && leaveToFreed(walk, entry)
        || callSite.toCaller(walk, entry)
        || entry.kind == BlobKind.DEOPTIMIZATION && leaveByFp(walk, Long.MAX_VALUE);
  }

  /**
   * Leaves the blob to which C2's code jumps with a thrown exception, while it has no frame. The pc
   * that throws comes in a register, is pushed as if it were a return address, and is popped again
   * before the jump to the handler.
   */
  private static boolean leaveThrowing(Walk walk, PcEntry entry) {
    long thrower = walk.valueOf(walk.cpu().roles.throwingPc());
    int before = PcEntry.CODE_BEFORE;
    boolean frameless =
        entry.kind == BlobKind.EXCEPTION
            && (entry.pc == entry.blob.codeBegin
                || walk.cpu().code.isThrowingPcPoppedBefore(entry.code, before, before));
    if (!frameless || !walk.isManaged(thrower)) {
      return false;
    }
    walk.popTo(thrower, walk.sp());
    return true;
  }

  /**
   * The state of a frame that is not set up yet, or taken down already; null if it is complete. A
   * safepoint poll in a loop comes here without a call, so that the word on top is no return
   * address. The frame's size does not serve there: in a recursion every frame is a good caller,
   * and those that fit into that size would be lost.
   */
  private static PartialFrame unbuilt(Walk walk, PcEntry entry) {
    if (!walk.interrupted()) {
      return null;
    }
    CodePatterns code = walk.cpu().code;
    boolean frameless =
        entry.pc == entry.blob.codeBegin || code.isReturn(entry.code, PcEntry.CODE_BEFORE);
    return frameless ? code.frameless : entry.partial;
  }

  private boolean leaveInterrupted(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    Cpu cpu = walk.cpu();
    int jump = cpu.code.jumpRegister(entry.code, PcEntry.CODE_BEFORE);
    if (jump >= 0 && leaveByJump(walk, walk.valueOf(jump), walk.sp())) {
      return true;
    }
    if (leaveToHandler(walk, entry)) {
      return true;
    }
    PartialFrame unbuilt = unbuilt(walk, entry);
    if (unbuilt != null) {
      return leavePartial(walk, unbuilt);
    }
    return walk.isLinkSaved() && leaveByFp(walk, entry.frameBytes)
        || leaveBySize(walk, entry)
        || callSite.toCaller(walk, entry)
        || !walk.isLinkIn(entry.blob) && leavePartial(walk, cpu.code.frameless)
        || leaveByFp(walk, entry.frameBytes);
  }

  /** Leaves code that is about to jump to an exception handler as if it had arrived there. */
  private boolean leaveByJump(Walk walk, long target, long sp) {
    if (!callers.isInCompiledCode(target)) {
      return false;
    }
    walk.popTo(target, sp);
    walk.setInterrupted(true);
    return true;
  }

  /**
   * Leaves a stub of C1 for a thrown exception: it puts the handler where its return address was,
   * restores the registers and returns to it. No call is before the handler, and a scan for return
   * addresses would find calls that ended with the exception.
   */
  private boolean leaveToHandler(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    if (walk.cpu().code.isReturn(entry.code, PcEntry.CODE_BEFORE)) {
      PartialFrame frameless = walk.cpu().code.frameless;
      long handler = walk.returnAddressOf(frameless);
      return !walk.isManaged(handler) && leaveByJump(walk, handler, walk.sp() + frameless.size());
    }
    long fp = walk.fp();
    if (!walk.isOnStack(fp) || fp < walk.sp() || fp - walk.sp() > entry.frameBytes) {
      return false;
    }
    long handler = walk.peek(fp + Cpu.RETURN_ADDRESS);
    long callerFp = walk.peek(fp + Cpu.SAVED_FP);
    if (walk.isManaged(handler) || !leaveByJump(walk, handler, fp + Cpu.FRAME_LINK_BYTES)) {
      return false;
    }
    walk.setFp(callerFp);
    return true;
  }

  private boolean leaveBySize(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    int size = entry.frameBytes;
    if (size < Cpu.FRAME_LINK_BYTES) {
      return false;
    }
    long cfa = walk.sp() + size;
    if (!walk.interrupted()) {
      walk.read(cfa - Cpu.WORD); // what was not copied is not searched for in what was
    }
    long fp = walk.peek(cfa - Cpu.FRAME_LINK_BYTES);
    long pc = walk.peekReturnAddress(cfa - Cpu.WORD);
    if (!walk.isGoodForJava(pc, cfa, fp)) {
      return false;
    }
    walk.toCaller(pc, cfa, fp);
    return true;
  }

  /**
   * Leaves a complete frame whose caller was freed since the sample. A search would find calls of
   * this blob that have returned.
   */
  private boolean leaveToFreed(Walk walk, PcEntry entry) {
    long cfa = walk.sp() + entry.frameBytes;
    long pc = walk.peekReturnAddress(cfa - Cpu.WORD);
    if (entry.frameBytes < Cpu.FRAME_LINK_BYTES || !walk.isInCodeCache(pc) || walk.isManaged(pc)) {
      return false;
    }
    walk.toCaller(pc, cfa, walk.peek(cfa - Cpu.FRAME_LINK_BYTES));
    return true;
  }

  private boolean leavePartial(Walk walk, PartialFrame frame) throws UnreadableMemoryException {
    long pc = walk.returnAddressOf(frame);
    if (!walk.isManaged(pc)) {
      return false;
    }
    long callerFp = walk.callerFpOf(frame);
    walk.popTo(pc, walk.sp() + frame.size());
    walk.setFp(callerFp);
    return true;
  }

  /**
   * By the frame pointer, if it is the blob's own: where the blob had not set it up, it would be
   * the caller's and skip a frame.
   */
  private boolean leaveByFp(Walk walk, long reach) {
    long fp = walk.fp();
    long pc = walk.peekReturnAddress(fp + Cpu.RETURN_ADDRESS);
    if (!walk.isOnStack(fp) || fp - walk.sp() > reach || !walk.isManaged(pc)) {
      return false;
    }
    walk.popLink(pc, fp + Cpu.FRAME_LINK_BYTES, fp);
    return true;
  }
}
