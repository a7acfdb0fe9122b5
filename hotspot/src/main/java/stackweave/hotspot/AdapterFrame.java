package stackweave.hotspot;

import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Code without a frame of its own that stands between caller and callee: adapters, method handle
 * linkers, vtable stubs. The return address is where the call left it or, while arguments are
 * moved, in a register; the caller's sp may be in another.
 */
final class AdapterFrame implements HotSpotFrame {
  /** Farther than arguments reach, in bytes. */
  private static final long MOST_ARGUMENT_BYTES = 1 << 16;

  private final Callers callers;
  private final StackScan scan;

  AdapterFrame(Callers callers, StackScan scan) {
    this.callers = callers;
    this.scan = scan;
  }

  @Override
  public StopReason step(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    StopReason full = walk.addStub(entry);
    if (full != null) {
      return full;
    }
    boolean left = walk.interrupted() ? leaveInterrupted(walk) : leaveCalling(walk);
    return left || scan.toCaller(walk, walk.sp()) ? null : StopReason.BAD_STUB_FRAME;
  }

  private boolean leaveInterrupted(Walk walk) throws UnreadableMemoryException {
    long sp = walk.sp();
    long top = walk.topReturnAddress();
    long moved = walk.valueOf(walk.cpu().movedReturnAddress());
    long senderSp = walk.valueOf(walk.cpu().senderSp());
    boolean saved = senderSp >= sp && senderSp - sp < MOST_ARGUMENT_BYTES && (senderSp & 7) == 0;
    if (callers.isHotSpotReturnAddress(top)) {
      // Moved there with the arguments: the caller's own sp is the saved one.
      walk.toCaller(top, top == moved && saved ? senderSp : walk.spBeforeCall());
      return true;
    }
    if (callers.isHotSpotReturnAddress(moved)) {
      walk.toCaller(moved, saved ? senderSp : sp);
      return true;
    }
    return false;
  }

  /** Waiting for the VM to patch the call: sp was aligned, a register keeps what it was. */
  private boolean leaveCalling(Walk walk) {
    long savedSp = walk.valueOf(walk.cpu().senderSp());
    long pc = walk.peek(savedSp);
    if (savedSp == 0 || !callers.isHotSpotReturnAddress(pc)) {
      return false;
    }
    walk.toCaller(pc, savedSp + Cpu.WORD);
    return true;
  }
}
