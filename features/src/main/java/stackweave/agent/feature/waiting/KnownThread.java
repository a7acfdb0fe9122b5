package stackweave.agent.feature.waiting;

/**
 * A thread of the process that is looked at, with the stack that was seen last. Times are in ns, by
 * {@link System#nanoTime}. For the drain thread only.
 */
abstract class KnownThread {
  final int tid;

  /** Its index in {@link KnownThreads}; negative when it was removed. */
  int position;

  /** When it is to be looked at again. */
  long due;

  /** Whether a stack, and the fields that follow, are known. */
  boolean hasStack;

  long stackId;
  long threadKey;
  long contextId;

  /** The code of a {@link stackweave.jfr.event.ThreadState}. */
  int state;

  /** The code of the {@link stackweave.unwind.StopReason}. */
  int end;

  /** The generation of the ids. */
  int generation;

  KnownThread(int tid) {
    this.tid = tid;
  }

  /** Keeps the stack that was named last. */
  final void keep(WallDecoder decoder, int seen) {
    hasStack = true;
    stackId = decoder.stackId;
    threadKey = decoder.threadKey;
    contextId = decoder.contextId;
    state = seen;
    end = decoder.end.code();
    generation = decoder.generation();
  }

  /** Whether a stack is known, and its ids are valid. */
  final boolean isKnown(WallDecoder decoder) {
    return hasStack && generation == decoder.generation();
  }

  /** Whether the stack that was named last is the one that this thread had. */
  final boolean hasSameStack(WallDecoder decoder) {
    return isKnown(decoder)
        && stackId == decoder.stackId
        && threadKey == decoder.threadKey
        && contextId == decoder.contextId;
  }
}
