package stackweave.hotspot;

/**
 * What lies at sp while enterSpecial runs a continuation: HotSpot's ContinuationEntry. On 64-bit
 * machines the same in JDK 21 to 25 ({@code continuationEntry.hpp}; an empty platform part comes
 * first); vmStructs have its size alone.
 *
 * @param address of the entry
 * @param parent entry of the continuation that runs this one, 0 if none does
 * @param continuation bits of the oop: compared, never followed
 * @param flags 1 for the continuation of a virtual thread, 0 for any other
 */
record ContinuationEntry(long address, long parent, long continuation, int flags) {
  /** Where vmStructs have no size of it. */
  static final int SIZE_OF_21 = 64;

  private static final int PARENT = 8;
  private static final int CONTINUATION = 16;
  private static final int FLAGS = 32;
  private static final int VIRTUAL_THREAD = 1;
  private static final int STACK_ALIGNMENT = 16;

  /** The room on the stack of an entry of that sizeof. */
  static int alignedSize(int size) {
    return size + STACK_ALIGNMENT - 1 & -STACK_ALIGNMENT;
  }

  /** The entry at {@code address}, or null if what is there can't be one. */
  static ContinuationEntry at(Walk walk, long address) {
    long parent = walk.peek(address + PARENT);
    long continuation = walk.peek(address + CONTINUATION);
    int flags = (int) walk.peek(address + FLAGS);
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
