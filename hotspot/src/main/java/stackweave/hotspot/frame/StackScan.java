package stackweave.hotspot.frame;

import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.model.UnwindCounters;

/**
 * Finds a caller by searching the stack upwards for the nearest return address into Java code whose
 * own caller is one, too. Used when all other ways failed; each use is counted. Must stop at the
 * first match: going on would leave out frames.
 */
public final class StackScan {
  /** How far a scan goes, in words. */
  private static final int MAX_SCAN_WORDS = 512;

  private final UnwindCounters counters;

  public StackScan(UnwindCounters counters) {
    this.counters = counters;
  }

  /** Makes the caller the frame at hand; false if none was found. */
  public boolean toCaller(Walk walk, long from) {
    long fp = walk.fp();
    for (long slot = from; slot < from + MAX_SCAN_WORDS * Cpu.WORD; slot += Cpu.WORD) {
      long pc = walk.peekReturnAddress(slot);
      if (!walk.isManaged(pc)) {
        continue;
      }
      long sp = slot + Cpu.WORD;
      long saved = walk.peek(slot - Cpu.WORD);
      // A frame that was built saved its caller's fp right below; one that was not left it alone.
      if (slot > from && walk.isOnStack(saved) && walk.isGoodForJava(pc, sp, saved)) {
        counters.scans++;
        walk.toCaller(pc, sp, saved);
        return true;
      }
      if (walk.isGoodForJava(pc, sp, fp)) {
        counters.scans++;
        walk.toCaller(pc, sp);
        return true;
      }
    }
    return false;
  }
}
