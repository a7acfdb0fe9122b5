package stackweave.hotspot.frame;

import stackweave.hotspot.code.CodeCache;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.pc.PcCache;
import stackweave.hotspot.pc.PcEntry;

/**
 * Finds the caller of a stub by the call instruction before a return address: one that calls this
 * stub is its caller, unlike return addresses that earlier calls left on the stack. Asked by the
 * frames of stubs and runtime blobs.
 */
public final class StubCallSite {
  /** More than any stub without a described frame pushes, in words. */
  private static final int MAX_SEARCH_WORDS = 160;

  private final PcCache pcs;
  private final CodeCache codeCache;
  private final Cpu cpu;

  public StubCallSite(CodeCache codeCache, PcCache pcs, Cpu cpu) {
    this.cpu = cpu;
    this.codeCache = codeCache;
    this.pcs = pcs;
  }

  /** Makes the stub's caller the frame at hand; false if no call to it is on the stack. */
  boolean toCaller(Walk walk, PcEntry entry) {
    long fp = walk.fp();
    if (walk.isOnStack(fp)) {
      long pc = walk.peekReturnAddress(fp + Cpu.RETURN_ADDRESS);
      long target = calledFrom(pc, entry);
      if (target != 0 && !isAtStart(entry.pc, target) && isEntering(target)) {
        leave(walk, pc, fp + Cpu.RETURN_ADDRESS, walk.peek(fp));
        return true;
      }
    }
    if (cpu.callBytes == 0) {
      return false; // the link register has the return address: nothing to search for
    }
    long sp = walk.sp();
    for (long slot = sp; slot < sp + MAX_SEARCH_WORDS * Cpu.WORD; slot += Cpu.WORD) {
      long pc = walk.peekReturnAddress(slot);
      long target = calledFrom(pc, entry);
      if (target != 0) {
        boolean saved = slot > sp && entry.pc != target && isSavingFp(target);
        leave(walk, pc, slot, saved ? walk.peek(slot - Cpu.WORD) : fp);
        return true;
      }
    }
    return false;
  }

  /** The target of the call before {@code pc} if it leads to the stub at hand, else 0. */
  private long calledFrom(long pc, PcEntry stub) {
    if (!codeCache.contains(pc)) {
      return 0;
    }
    PcEntry caller = pcs.find(pc, false);
    if (caller == null || !caller.isReturnAddress) {
      return 0;
    }
    long target = caller.callTarget;
    return stub.blob.contains(target) ? target : 0;
  }

  /** Whether pc is where the routine at {@code target} sets up its frame. */
  private boolean isAtStart(long pc, long target) {
    return pc >= target && pc < target + cpu.code.lengths.enter();
  }

  private boolean isEntering(long target) {
    PcEntry start = pcs.find(target, true);
    return start != null && cpu.code.isEnter(start.code, PcEntry.CODE_BEFORE);
  }

  private boolean isSavingFp(long target) {
    PcEntry start = pcs.find(target, true);
    return start != null && cpu.code.isSavingFp(start.code, PcEntry.CODE_BEFORE);
  }

  private static void leave(Walk walk, long pc, long slot, long fp) {
    boolean fpKnown = walk.isFpKnown();
    walk.popTo(pc, slot + Cpu.WORD);
    if (fpKnown || fp != 0) {
      walk.setFp(fp);
    }
  }
}
