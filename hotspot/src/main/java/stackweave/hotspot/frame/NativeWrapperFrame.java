package stackweave.hotspot.frame;

import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.pc.PcEntry;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Leaves the compiled wrapper of a native method, a frame with a frame pointer; or a method handle
 * intrinsic, which is compiled the same way but has no frame at all.
 */
public final class NativeWrapperFrame extends SearchedFrame {
  /** sp is aligned down before the wrapper calls into the VM on its way back. */
  private static final int ALIGNMENT = 16;

  public NativeWrapperFrame(StackScan scan) {
    super(scan, StopReason.BAD_COMPILED_FRAME);
  }

  @Override
  StopReason show(Walk walk, PcEntry entry) {
    return walk.addCompiled(entry);
  }

  @Override
  boolean leave(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    long sp = walk.sp();
    long expected = sp + entry.frameBytes - Cpu.FRAME_LINK_BYTES;
    if (walk.interrupted()) {
      return leaveInterrupted(walk, entry, expected);
    }
    long fp = walk.fp();
    boolean aligned = fp >= expected && fp - expected <= ALIGNMENT;
    return walk.leaveLink(aligned ? fp : expected);
  }

  private boolean leaveInterrupted(Walk walk, PcEntry entry, long expected)
      throws UnreadableMemoryException {
    long fp = walk.fp();
    if (entry.partial != null && walk.leavePartial(entry.partial)) {
      return true;
    }
    if (fp >= expected && fp - expected <= ALIGNMENT && walk.leaveLink(fp)) {
      return true;
    }
    long top = walk.topReturnAddress();
    if (walk.isManaged(top)) {
      walk.toCaller(top, walk.spBeforeCall());
      return true;
    }
    return walk.leaveLink(expected);
  }
}
