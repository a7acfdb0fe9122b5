package stackweave.agent.drain.limit;

import java.lang.instrument.Instrumentation;
import stackweave.agent.attach.ProcessRoom;

/**
 * Whether heap, metaspace and the process's limits have room for sampling: asked before it begins,
 * and once a second while it runs, because the application may need it. For one thread.
 */
public final class Room {
  /** To go on, sampling needs a quarter of metaspace and limits, since most is loaded by then. */
  private static final int SHARES_TO_GO_ON = 4;

  /** To begin again, it needs half. */
  private static final int SHARES_TO_BEGIN_LATER = 2;

  /** How long sampling pauses after it has ended for lack of room: a start takes 0.3 CPU s. */
  private static final long PAUSE_NANOS = 30_000_000_000L;

  private static final long OTHERS_NANOS = 1_000_000_000L;

  /** How often it is asked whether sampling may begin, while it may not. */
  public static final long LOOK_NANOS = 50_000_000L;

  /** Looks after which a lack of room is reported; before that it may be garbage. */
  public static final int LOOKS_UNTIL_SAID = 20;

  private final HeapRoom heap;
  private final Instrumentation instrumentation;
  private final int sharesToBegin;

  /** Null before the first question, which loads some classes. */
  private MetaspaceRoom metaspace;

  private boolean hasEnded;
  private long endedAt;
  private boolean isHeapShort;
  private long lookedAt;

  /** What was short beside the heap at the last look, up to a second ago; null for nothing. */
  private String other;

  private Room(Instrumentation instrumentation, HeapRoom.Heap heap, int sharesToBegin) {
    this.instrumentation = instrumentation;
    this.sharesToBegin = sharesToBegin;
    this.heap = new HeapRoom(heap);
    this.lookedAt = System.nanoTime() - OTHERS_NANOS;
  }

  /**
   * Whether the heap has room, and nothing else is limited: then JNA may be loaded although JFR has
   * not taken its part yet.
   */
  public static boolean isUnlimited(Instrumentation instrumentation) {
    return new HeapRoom().mayBegin()
        && ProcessRoom.whyNot(1) == null
        && MetaspaceRoom.of(instrumentation).isUnlimited();
  }

  /** For the first sampling, before its classes are loaded. */
  public static Room beforeFirst(Instrumentation instrumentation) {
    return new Room(instrumentation, HeapRoom.Heap.OF_JVM, 1);
  }

  /**
   * For sampling when its classes are loaded.
   *
   * @param heap this JVM's, except in tests
   */
  public static Room later(Instrumentation instrumentation, HeapRoom.Heap heap) {
    return new Room(instrumentation, heap, SHARES_TO_BEGIN_LATER);
  }

  /** Whether sampling may begin, or begin again; else {@link #whyNot} says what is short. */
  public boolean mayBegin() {
    long now = System.nanoTime();
    if (hasEnded && now - endedAt < PAUSE_NANOS) {
      return false;
    }
    isHeapShort = !heap.mayBegin();
    if (!isHeapShort) {
      look(now, sharesToBegin);
    }
    return !isHeapShort && other == null;
  }

  /** Sampling begins. */
  public void begin() {
    heap.begin(System.nanoTime());
  }

  /** Whether sampling must end, for what {@link #whyNot} says is short. Cheap if called often. */
  public boolean mustEnd() {
    long now = System.nanoTime();
    isHeapShort = heap.mustEnd(now);
    look(now, SHARES_TO_GO_ON);
    boolean ends = isHeapShort || other != null;
    if (ends) {
      hasEnded = true;
      endedAt = now;
    }
    return ends;
  }

  /** What was short when it was last asked, in one line. */
  public String whyNot() {
    return isHeapShort || other == null ? heap.whyNot() : other;
  }

  private void look(long now, int shares) {
    if (now - lookedAt < OTHERS_NANOS) {
      return;
    }
    lookedAt = now;
    if (metaspace == null) {
      metaspace = MetaspaceRoom.of(instrumentation);
    }
    other = metaspace.whyNot(shares);
    if (other == null) {
      other = ProcessRoom.whyNot(shares);
    }
  }
}
