package stackweave.hotspot.frame;

/**
 * HotSpot's ContinuationEntry, which is at sp while enterSpecial runs a continuation ({@code
 * continuationEntry.hpp}; JDK 21 to 28 have the fields read here at the same distances on 64-bit
 * machines). vmStructs describe the parent only, from JDK 27 on; the other fields count from it.
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
   * @param parentOffset as {@code Layout.continuationParent}
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
