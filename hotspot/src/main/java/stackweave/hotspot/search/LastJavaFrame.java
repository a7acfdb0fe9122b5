package stackweave.hotspot.search;

import java.util.function.Supplier;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.frame.Walk;
import stackweave.hotspot.model.FrameKind;
import stackweave.hotspot.model.HotSpotMethod;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.runtime.BlockedJavaThread;
import stackweave.unwind.Registers;
import stackweave.unwind.StopReason;
import stackweave.unwind.walk.Found;

/**
 * Goes on at the thread's last Java frame where native frames further in can't be followed: a frame
 * {@code [missing frames]} stands for those between. The JVM keeps where that frame is while a
 * thread runs native code (JavaFrameAnchor, javaFrameAnchor.hpp). It is read later than the sample,
 * so it counts only if the copied stack has the return address to it where the native function that
 * Java has called keeps that, and a walk from it reaches the thread's first frame. Not thread-safe.
 */
public final class LastJavaFrame {
  /** How far below Java's sp a native function may have saved the link register. */
  private static final int MAX_WORDS = 1 << 9;

  private final BlockedJavaThread thread;
  private final Supplier<StopReason> walkOn;
  private final int missingFrames;

  /**
   * @param thread reads what the JVM says of threads
   * @param walkOn walks from the frame at hand to the end of the stack
   */
  public LastJavaFrame(
      BlockedJavaThread thread, HotSpotMethods names, Supplier<StopReason> walkOn) {
    this.thread = thread;
    this.walkOn = walkOn;
    missingFrames = names.intern(new HotSpotMethod("", "[missing frames]", "", 0, ""));
  }

  /**
   * Walks on from the thread's last Java frame.
   *
   * @param javaThread address of the sampled thread's JavaThread; 0 if it has none, or if it is not
   *     known
   * @param end of the walk so far
   * @return {@link StopReason#GAP}, or {@code end} if that frame is not known; the walk has the
   *     same frames then
   */
  public StopReason walkOn(Walk walk, long javaThread, StopReason end) {
    if (!thread.read(javaThread)) {
      return end;
    }
    long sp = thread.lastJavaSp();
    long fp = thread.lastJavaFp();
    long pc = sp > walk.sp() ? returnAddress(walk, sp) : 0;
    if (!walk.isOnStack(sp) || !walk.isManaged(pc)) {
      return end;
    }
    walk.mark();
    boolean room = walk.addNamed(FrameKind.UNKNOWN, 0, false, missingFrames) == null;
    Registers registers = walk.registers();
    registers.clear();
    walk.popTo(pc, sp);
    if (walk.isOnStack(fp)) {
      walk.setFp(fp);
    }
    walk.frames().setFoundOfNext(Found.AFTER_GAP);
    StopReason rest = room ? walkOn.get() : end;
    if (rest == StopReason.COMPLETE || rest == StopReason.THREAD_ENTRY) {
      walk.countGuess();
      return StopReason.GAP;
    }
    walk.goBack();
    return end;
  }

  /**
   * The return address to the frame with an sp, as the function keeps it that it has called; 0 if
   * that does not. A call puts it right below that sp. Where it is in a link register, the function
   * has saved it somewhere below.
   */
  private long returnAddress(Walk walk, long sp) {
    if (walk.cpu().callBytes != 0) {
      return walk.peekReturnAddress(sp - Cpu.WORD);
    }
    long pc = thread.lastJavaPc();
    for (int i = 1; pc != 0 && i <= MAX_WORDS && walk.isOnStack(sp - (long) i * Cpu.WORD); i++) {
      if (walk.peekReturnAddress(sp - (long) i * Cpu.WORD) == pc) {
        return pc;
      }
    }
    return 0;
  }
}
