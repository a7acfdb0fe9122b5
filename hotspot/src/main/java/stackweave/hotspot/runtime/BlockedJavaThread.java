package stackweave.hotspot.runtime;

import stackweave.hotspot.memory.MemoryCopy;
import stackweave.hotspot.vmstructs.Field;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Reads the JavaThread of a blocked thread: its last Java frame, and what it waits for. Read from
 * outside, by one copy, so that all values are of about the same moment; the caller must know
 * whether the thread has run meanwhile. Sources: javaThread.hpp (thread.hpp in 17),
 * javaFrameAnchor.hpp. Reused; allocates nothing; not thread-safe.
 */
public final class BlockedJavaThread {
  /** The states of globalDefinitions.hpp, of which a blocked thread has one of these. */
  public static final int IN_NATIVE = 4;

  /** As {@link #IN_NATIVE}: in the VM, waiting for a monitor, a lock, a safepoint. */
  public static final int BLOCKED = 10;

  /** A state that is not known. */
  public static final int UNKNOWN = -1;

  /** A JavaThread is smaller. */
  private static final int MAX_SPAN = 1 << 14;

  private final MemoryReader memory;
  private final Layout layout;
  private final MemoryCopy piece = new MemoryCopy(4096);
  private final int from;
  private final int length;
  private long lastJavaSp;
  private long lastJavaPc;
  private long lastJavaFp;
  private int state;
  private boolean entering;
  private boolean waiting;

  /**
   * @param memory of the process
   */
  public BlockedJavaThread(Layout layout, MemoryReader memory) {
    this.memory = memory;
    this.layout = layout;
    boolean anchored =
        layout.anchor != null
            && layout.lastJavaSp != null
            && layout.lastJavaFp != null
            && layout.lastJavaPc != null;
    if (!anchored) {
      from = 0;
      length = 0;
      return;
    }
    long first = layout.anchor.offset();
    long end = first;
    for (Field field : new Field[] {layout.lastJavaSp, layout.lastJavaFp, layout.lastJavaPc}) {
      end = Math.max(end, first + field.end());
    }
    for (Field field :
        new Field[] {layout.threadState, layout.pendingMonitor, layout.waitingMonitor}) {
      if (field != null) {
        first = Math.min(first, field.offset());
        end = Math.max(end, field.end());
      }
    }
    from = (int) first;
    length = end - first > MAX_SPAN ? 0 : (int) (end - first);
  }

  /**
   * Reads a thread.
   *
   * @param javaThread address of its JavaThread; 0 if it has none
   * @return false if nothing is known of it; all is 0 then
   */
  public boolean read(long javaThread) {
    lastJavaSp = 0;
    lastJavaPc = 0;
    lastJavaFp = 0;
    state = UNKNOWN;
    entering = false;
    waiting = false;
    if (javaThread == 0 || length == 0) {
      return false;
    }
    try {
      piece.copy(memory, javaThread + from, length);
    } catch (UnreadableMemoryException e) {
      return false; // it has ended
    }
    int anchor = (int) layout.anchor.offset() - from;
    lastJavaSp = layout.lastJavaSp.in(piece, anchor);
    lastJavaPc = layout.lastJavaPc.in(piece, anchor);
    lastJavaFp = layout.lastJavaFp.in(piece, anchor);
    state = layout.threadState == null ? UNKNOWN : (int) layout.threadState.in(piece, -from);
    entering = layout.pendingMonitor != null && layout.pendingMonitor.in(piece, -from) != 0;
    waiting = layout.waitingMonitor != null && layout.waitingMonitor.in(piece, -from) != 0;
    return true;
  }

  /** sp of the last Java frame; 0 if there is none, or the thread runs Java code. */
  public long lastJavaSp() {
    return lastJavaSp;
  }

  /** pc of the last Java frame; 0 where the return address right below its sp is meant. */
  public long lastJavaPc() {
    return lastJavaPc;
  }

  /** Frame pointer of the last Java frame; 0 if it needs none. */
  public long lastJavaFp() {
    return lastJavaFp;
  }

  /** A JavaThreadState, or {@link #UNKNOWN}. */
  public int state() {
    return state;
  }

  /** Whether it waits to enter a Java monitor. */
  public boolean isEntering() {
    return entering;
  }

  /** Whether it is in Object.wait. */
  public boolean isWaiting() {
    return waiting;
  }
}
