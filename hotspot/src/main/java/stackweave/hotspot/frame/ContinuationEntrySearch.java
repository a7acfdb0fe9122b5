package stackweave.hotspot.frame;

import stackweave.hotspot.cpu.Cpu;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Finds the ContinuationEntry of the innermost continuation that runs on a stack. Allocates what it
 * finds; stateless.
 *
 * <p>Thawed frames end at the entry, so the first one found upwards is the one. A stub that is
 * about to thaw frames has made room for them below the entry, which still has what earlier calls
 * wrote there, such as the entry of a continuation that ended. So the search begins behind the
 * room, whose size is in a register on x86-64. Elsewhere an entry counts if its parent is an entry,
 * too: a remainder can be taken for one only if it leads to a live one.
 */
final class ContinuationEntrySearch {
  /** How far above sp an entry may lie: no more frames are frozen than a stack has had. */
  private static final int MAX_WORDS = 1 << 16;

  /**
   * How many words above the room it may be at, or above sp before the room is made: what the
   * method that returned gave back is saved there in three words, and sp is aligned twice by up to
   * one ({@code StubGenerator::generate_cont_thaw}, JDK 21 to 27).
   */
  private static final int NEAR_WORDS = 6;

  /** Recognises the frame that enterSpecial returns to. */
  interface Caller {
    /**
     * Whether a frame that waits at {@code pc}, whose fp is at an address, is Continuation.run's.
     */
    boolean isRun(Walk walk, long pc, long fpAddress);
  }

  private final int entrySize;
  private final int parentOffset;
  private final Caller caller;

  /**
   * @param entrySize as {@code Layout.continuationEntrySize}
   * @param parentOffset as {@code Layout.continuationParent}
   */
  ContinuationEntrySearch(int entrySize, int parentOffset, Caller caller) {
    this.entrySize = entrySize;
    this.parentOffset = parentOffset;
    this.caller = caller;
  }

  /**
   * The entry of the innermost continuation, or null if there is none.
   *
   * @param isBusy whether a stub is about to thaw frames
   * @throws UnreadableMemoryException if the stack can't be read as far as the entry
   */
  ContinuationEntry search(Walk walk, boolean isBusy) throws UnreadableMemoryException {
    ContinuationEntry entry = isBusy ? beside(walk) : null;
    if (entry != null) {
      return entry;
    }
    entry = first(walk, walk.sp(), MAX_WORDS);
    return isBusy && entry != null ? alive(walk, entry) : entry;
  }

  /**
   * The first entry from {@code found} on whose parent is an entry, too; the last one if none is.
   */
  private ContinuationEntry alive(Walk walk, ContinuationEntry found) {
    ContinuationEntry entry = found;
    try {
      while (entry.parent() == 0 || at(walk, entry.parent()) == null) {
        ContinuationEntry next = first(walk, entry.address() + Cpu.WORD, MAX_WORDS);
        if (next == null) {
          return entry;
        }
        entry = next;
      }
    } catch (UnreadableMemoryException e) {
      return entry; // there is none up to the stack's end
    }
    return entry;
  }

  /** The one right at sp, or right behind the room, if there is any. */
  private ContinuationEntry beside(Walk walk) throws UnreadableMemoryException {
    ContinuationEntry entry = first(walk, walk.sp(), NEAR_WORDS);
    if (entry != null) {
      return entry; // there is no room yet, and the register has something else
    }
    long size = roomBytes(walk);
    return size == 0 ? null : first(walk, walk.sp() + size, NEAR_WORDS);
  }

  /** The room's size, or 0 where it can't be known. */
  private static long roomBytes(Walk walk) {
    int register = walk.cpu().roles.thawSize();
    long size = register == Cpu.NONE ? 0 : walk.valueOf(register);
    boolean possible = size > 0 && size < (long) MAX_WORDS * Cpu.WORD && size % Cpu.WORD == 0;
    return possible ? size : 0;
  }

  private ContinuationEntry first(Walk walk, long from, int words)
      throws UnreadableMemoryException {
    for (int i = 0; i < words; i++) {
      ContinuationEntry entry = at(walk, from + (long) i * Cpu.WORD);
      if (entry != null) {
        return entry;
      }
    }
    return null;
  }

  /** The one at an address, or null if there is none. */
  private ContinuationEntry at(Walk walk, long address) throws UnreadableMemoryException {
    // enterSpecial's frame: the entry, then saved frame pointer and return address of
    // Continuation.run.
    long fpAddress = address + entrySize;
    long pc = walk.searchReturnAddress(fpAddress + Cpu.RETURN_ADDRESS);
    return caller.isRun(walk, pc, fpAddress)
        ? ContinuationEntry.at(walk, address, parentOffset)
        : null;
  }
}
