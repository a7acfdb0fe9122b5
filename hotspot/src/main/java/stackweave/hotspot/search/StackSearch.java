package stackweave.hotspot.search;

import java.util.function.Supplier;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.frame.Walk;
import stackweave.unwind.Registers;
import stackweave.unwind.StopReason;
import stackweave.unwind.walk.Found;

/**
 * The last resort in native code whose caller is found in no other way: the nearest word of the
 * stack that is a return address and from which a walk reaches the thread's first frame. Four to
 * eleven percent of such callers are return addresses of past calls, so the frame is marked, and
 * the stack has a stop reason of its own. Bounded; not thread-safe.
 */
public final class StackSearch {
  private static final int MAX_WORDS = 2048;

  private static final int MAX_WALKS = 24;

  /** The most frames of all walks together, each of which may go through a whole stack. */
  private static final int MAX_FRAMES = 8_192;

  private final Supplier<StopReason> walkOn;
  private int framesLeft;

  /**
   * @param walkOn walks from the frame at hand to the end of the stack
   */
  public StackSearch(Supplier<StopReason> walkOn) {
    this.walkOn = walkOn;
  }

  /** Whether a stack with this end may go on in native code without unwind information. */
  public boolean isWorthwhile(StopReason end) {
    return switch (end) {
      case NO_RULE, NO_MODULE, UNSUPPORTED_RULE, UNKNOWN_REGISTER -> true;
      default -> false;
    };
  }

  /**
   * Walks on from the frame appended last.
   *
   * @param end of the walk so far
   * @return {@link StopReason#SEARCHED}, or {@code end} if no caller was found; the walk has the
   *     same frames then
   */
  public StopReason walkOn(Walk walk, StopReason end) {
    walk.mark();
    long from = walk.sp();
    long fp = walk.isFpKnown() ? walk.fp() : 0;
    int walks = 0;
    framesLeft = MAX_FRAMES;
    for (int i = 0; i < MAX_WORDS && walks < MAX_WALKS && framesLeft > 0; i++) {
      long slot = from + (long) i * Cpu.WORD;
      long pc = walk.peekReturnAddress(slot);
      if (pc == 0 || !walk.isCaller(pc)) {
        continue;
      }
      // A frame that was built may have saved its caller's frame pointer right below.
      long saved = i > 0 ? walk.peek(slot - Cpu.WORD) : 0;
      boolean savedFits = saved > slot && walk.isOnStack(saved);
      boolean fpFits = fp > slot;
      walks++;
      if (reachesRoot(walk, pc, slot, savedFits ? saved : fpFits ? fp : 0)) {
        walk.countGuess();
        return StopReason.SEARCHED;
      }
      walk.goBack();
      if (savedFits && fpFits && saved != fp) {
        walks++;
        if (reachesRoot(walk, pc, slot, fp)) {
          walk.countGuess();
          return StopReason.SEARCHED;
        }
        walk.goBack();
      }
    }
    return end;
  }

  private boolean reachesRoot(Walk walk, long pc, long slot, long fp) {
    Registers registers = walk.registers();
    registers.clear();
    walk.popTo(pc, slot + Cpu.WORD);
    if (fp != 0) {
      walk.setFp(fp);
    }
    walk.frames().setFoundOfNext(Found.SEARCH);
    int before = walk.frames().count();
    StopReason end = walkOn.get();
    framesLeft -= walk.frames().count() - before;
    return end == StopReason.COMPLETE || end == StopReason.THREAD_ENTRY;
  }
}
