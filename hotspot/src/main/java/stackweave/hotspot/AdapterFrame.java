package stackweave.hotspot;

import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Code without a frame of its own that stands between caller and callee: adapters, method handle
 * linkers, vtable stubs. The return address is on top of the stack or, while arguments are moved,
 * in rax; the caller's sp may be in r13.
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
    long top = walk.read(sp);
    long rax = walk.valueOf(X86.RAX);
    long r13 = walk.valueOf(X86.R13);
    boolean saved = r13 >= sp && r13 - sp < MOST_ARGUMENT_BYTES && (r13 & 7) == 0;
    if (callers.isHotSpotReturnAddress(top)) {
      // Moved there with the arguments: the caller's own sp is the saved one.
      walk.toCaller(top, top == rax && saved ? r13 : sp + X86.WORD);
      return true;
    }
    if (callers.isHotSpotReturnAddress(rax)) {
      walk.toCaller(rax, saved ? r13 : sp);
      return true;
    }
    return false;
  }

  /** Waiting for the VM to patch the call: sp was aligned, r13 keeps what it was. */
  private boolean leaveCalling(Walk walk) {
    long r13 = walk.valueOf(X86.R13);
    long pc = walk.peek(r13);
    if (r13 == 0 || !callers.isHotSpotReturnAddress(pc)) {
      return false;
    }
    walk.toCaller(pc, r13 + X86.WORD);
    return true;
  }
}
