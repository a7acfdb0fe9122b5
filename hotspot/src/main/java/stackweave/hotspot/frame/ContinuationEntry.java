package stackweave.hotspot.frame;

import stackweave.hotspot.vmstructs.Layout;

/**
 * What lies at sp while enterSpecial runs a continuation: HotSpot's ContinuationEntry. On 64-bit
 * machines the fields read here are the same in JDK 21 to 28 ({@code continuationEntry.hpp}; an
 * empty platform part comes first). Of where they are, vmStructs have the parent alone, from JDK 27
 * on; the others count from it.
 *
 * @param address of the entry
 * @param parent entry of the continuation that runs this one, 0 if none does
 * @param continuation bits of the oop: compared, never followed
 * @param flags 1 for the continuation of a virtual thread, 0 for any other
 */
record ContinuationEntry(long address, long parent, long continuation, int flags) {
  private static final int CONTINUATION_FROM_PARENT = 8;
  private static final int FLAGS_FROM_PARENT = 24;
  private static final int VIRTUAL_THREAD = 1;

  /**
   * The entry at {@code address}, or null if what is there can't be one.
   *
   * @param parentOffset as {@link Layout#continuationParent}
   */
  static ContinuationEntry at(Walk walk, long address, int parentOffset) {
    long atParent = address + parentOffset;
    long parent = walk.peek(atParent);
    long continuation = walk.peek(atParent + CONTINUATION_FROM_PARENT);
    int flags = (int) walk.peek(atParent + FLAGS_FROM_PARENT);
    boolean possible =
        continuation != 0
            && (continuation & 7) == 0
            && (flags & ~VIRTUAL_THREAD) == 0
            && (parent == 0 || parent > address && walk.isOnStack(parent));
    return possible ? new ContinuationEntry(address, parent, continuation, flags) : null;
  }

  boolean isVirtualThread() {
    return flags == VIRTUAL_THREAD;
  }
}
