package stackweave.hotspot.frame;

import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.method.JavaMethod;
import stackweave.hotspot.method.MethodCache;
import stackweave.hotspot.model.HotSpotMethod;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.pc.PcCache;
import stackweave.hotspot.pc.PcEntry;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.tableless.CodeUnwinder;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Leaves the return barrier to which the outermost thawed frame of a continuation returns, and the
 * stubs that thaw frames: the further frames are in the heap, not on the stack. Adds one mark for
 * all of these, and goes on at the ContinuationEntry, behind which the carrier's frames are. Does
 * not read the heap. An interrupted stub that has thawed frames goes on at these.
 */
public final class ContinuationFrame implements HotSpotFrame {
  private static final String CLASS = "jdk.internal.vm.Continuation";
  private static final String RUN = "run";

  private final Layout layout;
  private final MemoryReader memory;
  private final PcCache pcs;
  private final MethodCache methods;
  private final HotSpotMethods names;
  private final int frozenMark;
  private final Cpu cpu;
  private final ContinuationEntryFrame enterSpecial;
  private final int entrySize;
  private final ContinuationEntrySearch entries;
  private final CodeUnwinder tableless;
  private final byte[] code;
  private long barrier;

  public ContinuationFrame(
      Layout layout,
      MemoryReader memory,
      PcCache pcs,
      MethodCache methods,
      HotSpotMethods names,
      Cpu cpu,
      ContinuationEntryFrame enterSpecial,
      CodeUnwinder tableless) {
    this.layout = layout;
    this.memory = memory;
    this.pcs = pcs;
    this.methods = methods;
    this.names = names;
    this.cpu = cpu;
    this.enterSpecial = enterSpecial;
    entrySize = layout.continuationEntrySize;
    entries = new ContinuationEntrySearch(entrySize, layout.continuationParent, this::isRun);
    this.tableless = tableless;
    code = new byte[cpu.code.lengths.call()];
    frozenMark = names.intern(ContinuationEntryFrame.mark("[frames frozen in the heap]"));
  }

  @Override
  public StopReason step(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    boolean isBarrier = !walk.interrupted() && isBarrier(entry);
    StopReason full = isBarrier ? null : walk.addStub(entry);
    // From the VM's return on, the stub's instructions lead straight to the innermost of the frames
    // that it thawed. Where they don't, as before the VM is called, no frames are there yet: what
    // else lies between sp and the ContinuationEntry was left there by earlier calls.
    if (full == null && walk.interrupted() && tableless.toCallerStraight(walk, memory)) {
      return null;
    }
    if (full == null) {
      full = walk.addMark(entry, frozenMark);
    }
    return full != null ? full : leave(walk, entry, !isBarrier);
  }

  /**
   * Whether the barrier is what will be returned to, rather than a stub that runs and has called:
   * no call stands before its first instruction.
   */
  private boolean isBarrier(PcEntry entry) throws UnreadableMemoryException {
    if (entry.pc == barrier) {
      return true;
    }
    int length = (int) Math.min(code.length, entry.pc - entry.blob.codeBegin);
    memory.read(entry.pc - length, code, code.length - length, length);
    if (cpu.code.isCallBefore(code, code.length)) {
      return false;
    }
    barrier = entry.pc;
    return true;
  }

  private StopReason leave(Walk walk, PcEntry entry, boolean isBusy)
      throws UnreadableMemoryException {
    ContinuationEntry mounted = entries.search(walk, isBusy);
    return mounted == null
        ? StopReason.BAD_STUB_FRAME
        : leaveTo(walk, entry, mounted, mounted.address() + entrySize);
  }

  private StopReason leaveTo(Walk walk, PcEntry entry, ContinuationEntry mounted, long fp)
      throws UnreadableMemoryException {
    // Null until the first continuation ran, so it can't be read once for all.
    long described =
        layout.continuationReturnPc == null
            ? 0
            : memory.readLong(layout.continuationReturnPc.offset());
    long returnPc = described != 0 ? described : enterSpecial.waitingPc();
    if (returnPc != 0) {
      walk.toCaller(returnPc, mounted.address(), fp);
      return null;
    }
    // JDK 21 does not say where enterSpecial is: its mark is all there is of it.
    StopReason full = enterSpecial.addMark(walk, entry, mounted);
    walk.toCaller(
        walk.readReturnAddress(fp + Cpu.RETURN_ADDRESS), fp + Cpu.FRAME_LINK_BYTES, walk.read(fp));
    return full;
  }

  /** As {@link ContinuationEntrySearch.Caller#isRun}. */
  private boolean isRun(Walk walk, long pc, long fpAddress) {
    if (!walk.isManaged(pc)) {
      return false;
    }
    PcEntry entry = pcs.find(pc, false);
    // The code that is there now is good enough: the entry beside it leaves no doubt.
    if (entry != null && entry.javaFrames != null) {
      PcEntry.JavaFrames frames = entry.present().javaFrames;
      for (int i = 0; i < frames.count(); i++) {
        if (isRun(names.get(frames.method(i)))) {
          return true;
        }
      }
      return false;
    }
    JavaMethod method = methods.findGuessed(walk.peek(walk.peek(fpAddress) + Cpu.METHOD));
    return method != null && isRun(names.get(method.id));
  }

  private static boolean isRun(HotSpotMethod method) {
    return method.name().equals(RUN) && method.className().equals(CLASS);
  }
}
