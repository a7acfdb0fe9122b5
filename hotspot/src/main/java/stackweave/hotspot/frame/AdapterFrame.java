package stackweave.hotspot.frame;

import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.pc.PcEntry;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Leaves code without a frame of its own between caller and callee: adapters, method handle
 * linkers, vtable stubs. The return address is on top of the stack (or in the link register) or,
 * while arguments are moved, in another register; so may be the caller's sp.
 */
public final class AdapterFrame extends SearchedFrame {
  /** Farther than arguments reach, in bytes. */
  private static final long MAX_ARGUMENT_BYTES = 1 << 16;

  public AdapterFrame(StackScan scan) {
    super(scan, StopReason.BAD_STUB_FRAME);
  }

  @Override
  boolean leave(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    return walk.interrupted() ? leaveInterrupted(walk, entry) : leaveCalling(walk);
  }

  private boolean leaveInterrupted(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    if (walk.isLinkSaved() || walk.isLinkIn(entry.blob)) {
      return leaveByFp(walk);
    }
    long top = walk.topReturnAddress();
    if (walk.cpu().callBytes == 0) {
      return leaveLinked(walk, top);
    }
    if (leaveMoved(walk, top)) {
      return true;
    }
    if (walk.isManaged(top)) {
      walk.toCaller(top, walk.spBeforeCall());
      return true;
    }
    return leaveCalling(walk);
  }

  /**
   * Leaves by the return address in its register. While sp is aligned and registers are saved, the
   * word on top is left over from something else, and may look like a return address.
   */
  private boolean leaveMoved(Walk walk, long top) {
    long sp = walk.sp();
    long moved = walk.valueOf(walk.cpu().roles.movedReturnAddress());
    if (!walk.isManaged(moved)) {
      return false;
    }
    long senderSp = walk.valueOf(walk.cpu().roles.senderSp());
    boolean saved = senderSp >= sp && senderSp - sp < MAX_ARGUMENT_BYTES && (senderSp & 7) == 0;
    if (saved && walk.peek(senderSp) == moved) {
      walk.toCaller(moved, senderSp + Cpu.WORD); // about to wait for the VM, or has done so
      return true;
    }
    boolean left = saved && walk.peek(senderSp - Cpu.WORD) == moved;
    if (top == moved) {
      walk.toCaller(top, saved ? senderSp : walk.spBeforeCall());
      return true;
    }
    if (left || !walk.isManaged(top)) {
      walk.toCaller(moved, saved ? senderSp : sp);
      return true;
    }
    return false;
  }

  /**
   * Leaves by the return address in the link register. The register for the caller's sp is set
   * later; until then it has the caller's value.
   */
  private boolean leaveLinked(Walk walk, long link) throws UnreadableMemoryException {
    if (!walk.isManaged(link)) {
      return false;
    }
    long sp = walk.sp();
    long senderSp = walk.valueOf(walk.cpu().roles.senderSp());
    boolean saved = senderSp >= sp && senderSp - sp < MAX_ARGUMENT_BYTES && (senderSp & 7) == 0;
    boolean lowered = saved && !walk.isGoodForJava(link, sp, walk.fp());
    walk.toCaller(link, lowered ? senderSp : sp);
    return true;
  }

  /** Leaves while the VM patches the call: sp was aligned, a register keeps its old value. */
  private boolean leaveCalling(Walk walk) throws UnreadableMemoryException {
    if (walk.cpu().callBytes == 0) {
      return leaveByFp(walk);
    }
    long savedSp = walk.valueOf(walk.cpu().roles.senderSp());
    if (!walk.interrupted() && walk.isOnStack(savedSp)) {
      walk.read(savedSp); // what was not copied is not searched for in what was
    }
    long pc = walk.peekReturnAddress(savedSp);
    if (savedSp == 0 || !walk.isManaged(pc)) {
      return false;
    }
    walk.toCaller(pc, savedSp + Cpu.WORD);
    return true;
  }

  /** Leaves by the frame pointer, where the link register had to be saved for that. */
  private static boolean leaveByFp(Walk walk) throws UnreadableMemoryException {
    long fp = walk.fp();
    return walk.isOnStack(fp) && walk.leaveLink(fp);
  }
}
