package stackweave.hotspot.frame;

import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.model.UnwindCounters;
import stackweave.hotspot.pc.PcCache;
import stackweave.hotspot.pc.PcEntry;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Leaves a frame of a Java method compiled by C1, C2 or Graal: of fixed size, with the return
 * address on top and the caller's frame pointer below it. Also knows its states of being set up,
 * taken down, and deoptimized.
 */
public final class CompiledFrame implements HotSpotFrame {
  /** Most words that compiled code pushes below its frame, around calls of stubs. */
  private static final int MAX_PUSHED_WORDS = 8;

  private final PcCache pcs;
  private final StackScan scan;
  private final UnwindCounters counters;

  public CompiledFrame(PcCache pcs, StackScan scan, UnwindCounters counters) {
    this.pcs = pcs;
    this.scan = scan;
    this.counters = counters;
  }

  @Override
  public StopReason step(Walk walk, PcEntry at) throws UnreadableMemoryException {
    PcEntry entry = at.isDeoptHandler ? undeoptimized(walk, at) : at;
    if (isInStaticCallStub(walk, entry)) {
      return leaveStaticCallStub(walk, entry);
    }
    StopReason full = walk.addCompiled(entry);
    if (full != null) {
      return full;
    }
    if (entry.partial != null && walk.leavePartial(entry.partial)) {
      return null;
    }
    return leaveFull(walk, entry);
  }

  /** The entry of the pc that the frame had before deoptimization, which is kept in the frame. */
  private PcEntry undeoptimized(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    long pc = walk.readReturnAddress(walk.sp() + entry.nmethod.entries.origPcOffset());
    if (!entry.nmethod.contains(pc)) {
      return entry;
    }
    PcEntry original = pcs.find(pc, false);
    return original != null && original.nmethod == entry.nmethod ? original : entry;
  }

  private StopReason leaveFull(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    long cfa = walk.sp() + entry.frameBytes + (long) Cpu.WORD * entry.pushedWords;
    boolean framed = entry.frameBytes >= Cpu.FRAME_LINK_BYTES;
    long pc = framed ? walk.readReturnAddress(cfa - Cpu.WORD) : 0;
    long fp = framed ? walk.read(cfa - Cpu.FRAME_LINK_BYTES) : 0;
    // At a call that HotSpot recorded the frame is as described; elsewhere something may be pushed.
    boolean certain = entry.hasPcDesc && !walk.interrupted();
    if (certain ? walk.isInCodeCache(pc) : walk.isGoodForJava(pc, cfa, fp)) {
      walk.toCaller(pc, cfa, fp);
      return null;
    }
    if (recover(walk, cfa)) {
      return null;
    }
    if (walk.isManaged(pc)) {
      walk.toCaller(pc, cfa, fp);
      return null;
    }
    if (walk.isInCodeCache(pc) && walk.addStale(pc, false) != null) {
      return StopReason.TOO_DEEP; // else its caller, freed since the sample, would be left out
    }
    return scan.toCaller(walk, walk.sp()) ? null : StopReason.BAD_COMPILED_FRAME;
  }

  /** Leaves a frame below which something was pushed: arguments of a stub, registers to be kept. */
  private boolean recover(Walk walk, long cfa) throws UnreadableMemoryException {
    walk.read(cfa + (MAX_PUSHED_WORDS - 1) * Cpu.WORD); // not copied: it may be there
    for (long above = cfa + Cpu.WORD;
        above <= cfa + MAX_PUSHED_WORDS * Cpu.WORD;
        above += Cpu.WORD) {
      long pc = walk.peekReturnAddress(above - Cpu.WORD);
      long fp = walk.peek(above - Cpu.FRAME_LINK_BYTES);
      if (walk.isGoodForJava(pc, above, fp)) {
        counters.recoveries++;
        walk.toCaller(pc, above, fp);
        return true;
      }
    }
    return false;
  }

  /**
   * Static calls to interpreted methods go through a stub behind the method's own code; there the
   * return address leads into the method itself.
   */
  private boolean isInStaticCallStub(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    return walk.interrupted()
        && entry.pc >= entry.nmethod.entries.stubs()
        && entry.nmethod.contains(walk.topReturnAddress());
  }

  private StopReason leaveStaticCallStub(Walk walk, PcEntry entry)
      throws UnreadableMemoryException {
    long sp = walk.spBeforeCall();
    long pc = walk.topReturnAddress();
    PcEntry caller = pcs.find(pc, false);
    if (caller == null || !caller.isReturnAddress) {
      return StopReason.BAD_COMPILED_FRAME;
    }
    StopReason full = walk.addStub(entry);
    walk.toCaller(pc, sp);
    return full;
  }
}
