package stackweave.hotspot.frame;

import stackweave.hotspot.model.HotSpotMethod;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.pc.PcEntry;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Leaves the frame of {@code Continuation.enterSpecial}, the outermost of a continuation, and adds
 * a mark behind it: the frames that follow are the carrier thread's.
 */
public final class ContinuationEntryFrame implements HotSpotFrame {
  private static final String CLASS = "jdk.internal.vm.Continuation";
  private static final String ENTER_SPECIAL = "enterSpecial";

  private final HotSpotFrame wrapper;
  private final int parentOffset;
  private final HotSpotMethods names;
  private final int virtualThreadMark;
  private final int continuationMark;
  private long waitingPc;

  /**
   * @param wrapper leaves the frame of enterSpecial itself, which is compiled as a native wrapper
   */
  public ContinuationEntryFrame(HotSpotFrame wrapper, HotSpotMethods names, Layout layout) {
    this.wrapper = wrapper;
    this.parentOffset = layout.continuationParent;
    this.names = names;
    virtualThreadMark = names.intern(mark("[virtual thread]"));
    continuationMark = names.intern(mark("[continuation]"));
  }

  /** The name of a {@code FrameKind.CONTINUATION}. */
  static HotSpotMethod mark(String name) {
    return new HotSpotMethod("", name, "", 0, "");
  }

  /** Whether a native method's wrapper at a return address is this one. */
  public boolean isAt(PcEntry entry) {
    HotSpotMethod method = names.get(entry.present().javaFrames.method(0));
    return method.name().equals(ENTER_SPECIAL) && method.className().equals(CLASS);
  }

  /** Where some frame of enterSpecial's was found waiting; 0 while none was met. */
  long waitingPc() {
    return waitingPc;
  }

  @Override
  public StopReason step(Walk walk, PcEntry entry) throws UnreadableMemoryException {
    waitingPc = entry.pc;
    // At every call in enterSpecial sp is at the ContinuationEntry.
    ContinuationEntry mounted = ContinuationEntry.at(walk, walk.sp(), parentOffset);
    // Its code is made once, before the first continuation runs, and is never freed.
    int frame = walk.frames().count();
    StopReason end = wrapper.step(walk, entry.present());
    walk.markProven(frame);
    return end != null ? end : addMark(walk, entry, mounted);
  }

  /** Appends the mark of what was mounted, which may be null. Null, or why the walk must end. */
  StopReason addMark(Walk walk, PcEntry entry, ContinuationEntry mounted) {
    boolean virtualThread = mounted != null && mounted.isVirtualThread();
    if (virtualThread) {
      walk.frames().setMounted(mounted.address(), mounted.continuation());
    }
    return walk.addMark(entry, virtualThread ? virtualThreadMark : continuationMark);
  }
}
