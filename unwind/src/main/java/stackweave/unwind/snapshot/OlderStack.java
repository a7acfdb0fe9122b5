package stackweave.unwind.snapshot;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import stackweave.unwind.HeapShare;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The older part of a sampled stack, {@code [sp + length, stack end)}: read from the thread's live
 * memory when the walk first asks for it, while the thread runs on, and used only if it still
 * belongs to the copy (see the comment in the class). {@link MemoryReader} of the walk; whether the
 * frames lead to the thread's first frame is the caller's to check, and to {@link #refuse}. Reads
 * are fault-safe, bounded to {@value #MAX_BYTES} bytes above the copy, and go into a buffer that is
 * kept: no allocation once it is large enough. Not thread-safe.
 */
public final class OlderStack implements MemoryReader {
  // A frame's return address and saved frame pointer are written when it is entered and not again
  // until it has returned. So if the outermost frame of the copy has not returned since the sample,
  // every frame link above it is that of the sample. Nothing says directly whether it has returned;
  // all of these must hold:
  // 1. The seam is unchanged. The seam is the upper end of the copy, from the 16th last word that
  //    the walk relies on. All its words, frame links as well as locals and spilled values, must be
  //    the same in live memory: a thread that came back by other calls, or by the same ones with
  //    other arguments, has written other words there.
  // 2. It stays so: the seam is compared again after each piece was read, and after the walk
  //    (confirm).
  // 3. The thread's stack pointer is not known to have been above the copy's last frame link since
  //    (above the first one behind it where the seam has a large frame). Whereabouts is asked after
  //    each piece: words below the stack pointer are dead, but look like frames until they are
  //    written again.
  // 4. The frames lead to the thread's first frame, which the caller checks: calls made after a
  //    return leave a broken chain.
  // A large frame has 4 KiB of the seam without a word that the walk relies on: a buffer, which its
  // function changes all the time. There only the words that the walk relies on are compared:
  // return addresses, and what a CFA was computed from. These are the same if another caller with a
  // frame of that size has called the function, so what is read then is a guess (isLargeFrame,
  // guess), which the caller marks.
  // One case is not detected: the thread has returned through the seam, came back by calls that
  // wrote the very same words there, and was called from elsewhere further out. Then the frames on
  // both sides are real but do not belong together. So spliced stacks end with StopReason.SPLICED.

  /** Words that the walk relied on which are compared, at most. */
  static final int SEAM_LINKS = 16;

  /** Without a word that the walk relies on in so many bytes, the seam has a large frame. */
  static final int LARGE_FRAME_BYTES = 4 << 10;

  /** The most that is read above a copy, in bytes: as much as most threads' stacks have. */
  static final int MAX_BYTES = 8 << 20;

  /** The most that is read, and kept in the buffer, with this JVM's heap. */
  private static final int MAX_KEPT_BYTES = HeapShare.of(MAX_BYTES);

  /** Read at once: frames of a deep recursion for some hundred microseconds of walking. */
  private static final int PIECE_BYTES = 256 << 10;

  /** The smallest page: what memory is mapped by. */
  private static final int PAGE_BYTES = 4 << 10;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** Where a thread is now, as far as that is known without stopping it. */
  public interface Whereabouts {
    /** Nothing is known. Not a lambda: to link one takes a millisecond before the first sample. */
    Whereabouts UNKNOWN =
        new Whereabouts() {
          @Override
          public long highestStackPointer(int tid) {
            return 0;
          }
        };

    /**
     * The highest stack pointer that the thread is known to have had since its sample was taken; 0
     * where nothing is known.
     */
    long highestStackPointer(int tid);
  }

  private final MemoryReader live;
  private final Whereabouts whereabouts;
  private final Runnable onTaken;
  private byte[] seam = {};
  private byte[] bytes = {};
  private StackSnapshot sample;
  private SpliceOutcome outcome = SpliceOutcome.NOT_NEEDED;
  private boolean closed;
  private int seamOffset;
  private int lastLinkOffset;
  private boolean largeFrame;
  private long firstAsked;
  private long begin;
  private int length;
  private int limit;
  private boolean endFound;

  /**
   * @param live the memory of the process, fault-safe
   * @param onTaken called when the walk is about to leave the copy: what it has found up to there
   *     is of the sample itself
   */
  public OlderStack(MemoryReader live, Whereabouts whereabouts, Runnable onTaken) {
    this.live = live;
    this.whereabouts = whereabouts;
    this.onTaken = onTaken;
  }

  /**
   * Begins a sample. Nothing is read until the walk asks.
   *
   * @param stackEnd the first address above the thread's stack, 0 where unknown
   */
  public void begin(StackSnapshot snapshot, long stackEnd) {
    sample = snapshot;
    outcome = SpliceOutcome.NOT_NEEDED;
    closed = false;
    begin = snapshot.stackAddress() + snapshot.stackLength();
    length = 0;
    largeFrame = false;
    firstAsked = 0;
    endFound = false;
    long above = stackEnd == 0 ? MAX_KEPT_BYTES : stackEnd - begin;
    limit = (int) Math.max(0, Math.min(above, MAX_KEPT_BYTES)) & -8;
    OlderCopy copy = snapshot.olderCopy();
    if (!copy.fits(snapshot.stackBytes(), snapshot.stackAddress(), snapshot.stackLength())) {
      copy.clear(); // of another sample
    }
    snapshot.setOlder(limit > 0 ? this : null);
  }

  /** The outcome so far. */
  public SpliceOutcome outcome() {
    return outcome;
  }

  /** Whether the seam has a large frame, so that it proves less (see the comment in the class). */
  public boolean isLargeFrame() {
    return largeFrame;
  }

  /** The address of the word above the copy that the walk has asked for first; 0 for none. */
  public long firstAsked() {
    return firstAsked;
  }

  /** Gives up what was taken; from now on, the sample's stack ends where the copy does. */
  public void refuse(SpliceOutcome why) {
    outcome = why;
    closed = true;
  }

  /** Marks what was taken as a guess: it may belong to another call. */
  public void guess() {
    outcome = SpliceOutcome.GUESSED;
  }

  /**
   * Compares the seam once more, when the walk is over: a thread that was on its way back down
   * while the rest was read has come by the seam by now.
   *
   * @return whether what was taken still fits
   */
  public boolean confirm() {
    if (outcome == SpliceOutcome.TAKEN && compareSeam() != SpliceOutcome.TAKEN) {
      refuse(SpliceOutcome.CHANGED_MEANWHILE);
    }
    return outcome == SpliceOutcome.TAKEN;
  }

  @Override
  public long readLong(long address) throws UnreadableMemoryException {
    if (isCopied(address, Long.BYTES)) {
      return sample.olderCopy().getLong(address);
    }
    int at = offsetOf(address, Long.BYTES); // which may replace the buffer
    return sample.longAt(bytes, at);
  }

  @Override
  public void read(long address, byte[] target, int offset, int count)
      throws UnreadableMemoryException {
    if (isCopied(address, count)) {
      sample.olderCopy().read(address, target, offset, count);
      return;
    }
    int at = offsetOf(address, count);
    System.arraycopy(bytes, at, target, offset, count);
  }

  /** Whether it was copied at the interrupt, and nothing was read later. */
  private boolean isCopied(long address, int count) {
    boolean unread = outcome == SpliceOutcome.NOT_NEEDED || outcome == SpliceOutcome.COPIED;
    if (!unread || !sample.olderCopy().has(address, count)) {
      return false;
    }
    firstAsked = firstAsked == 0 ? address : firstAsked;
    outcome = SpliceOutcome.COPIED;
    return true;
  }

  private int offsetOf(long address, int count) throws UnreadableMemoryException {
    long offset = address - begin;
    if (closed || offset < 0 || offset > (long) limit - count) {
      throw UnreadableMemoryException.BEYOND_COPY;
    }
    firstAsked = firstAsked == 0 ? address : firstAsked;
    if (outcome == SpliceOutcome.COPIED) { // which is of another time than what would be read now
      throw UnreadableMemoryException.BEYOND_COPY;
    }
    while (offset > length - count) {
      if (!readMore()) {
        throw UnreadableMemoryException.BEYOND_COPY;
      }
    }
    return (int) offset;
  }

  /** Reads the next piece; false if there is none or it does not fit. */
  private boolean readMore() {
    if (endFound) {
      return false;
    }
    SpliceOutcome before = length == 0 ? findSeam() : SpliceOutcome.TAKEN;
    if (before == SpliceOutcome.TAKEN) {
      before = compareSeam();
    }
    if (before != SpliceOutcome.TAKEN) {
      refuse(before);
      return false;
    }
    int piece = readPiece();
    if (piece == 0) {
      endFound = true;
      if (length == 0) {
        refuse(SpliceOutcome.UNREADABLE);
      }
      return false;
    }
    if (compareSeam() != SpliceOutcome.TAKEN) {
      refuse(SpliceOutcome.CHANGED_MEANWHILE);
      return false;
    }
    long outermost = largeFrame ? firstAsked : sample.stackAddress() + lastLinkOffset;
    if (Long.compareUnsigned(whereabouts.highestStackPointer(sample.tid()), outermost) > 0) {
      refuse(SpliceOutcome.RETURNED);
      return false;
    }
    if (outcome != SpliceOutcome.TAKEN) {
      outcome = SpliceOutcome.TAKEN;
      onTaken.run();
    }
    length += piece;
    return true;
  }

  private SpliceOutcome findSeam() {
    int links = 0;
    int end = sample.stackLength() & -8;
    int above = end;
    for (int at = end - 8; at >= 0 && links < SEAM_LINKS; at -= 8) {
      if (sample.isRead(at)) {
        lastLinkOffset = links == 0 ? at : lastLinkOffset;
        seamOffset = at;
        links++;
        largeFrame |= above - at > LARGE_FRAME_BYTES;
        above = at;
      }
    }
    if (links == 0) {
      // The interrupted function's own frame ends above the copy.
      largeFrame = end > LARGE_FRAME_BYTES;
      seamOffset = end;
      return largeFrame ? SpliceOutcome.TAKEN : SpliceOutcome.NO_SEAM;
    }
    return SpliceOutcome.TAKEN;
  }

  private long seamAddress() {
    return sample.stackAddress() + seamOffset;
  }

  /** Compares live memory with the copy from the seam's begin to the copy's end. */
  private SpliceOutcome compareSeam() {
    int count = sample.stackLength() - seamOffset;
    if (seam.length < count) {
      seam = new byte[Math.min(Integer.highestOneBit(count) << 1, sample.stackBytes().length)];
    }
    try {
      live.read(seamAddress(), seam, 0, count);
    } catch (UnreadableMemoryException e) {
      return SpliceOutcome.UNREADABLE;
    }
    byte[] copy = sample.stackBytes();
    int differs = Arrays.mismatch(seam, 0, count, copy, seamOffset, seamOffset + count);
    if (differs < 0) {
      return SpliceOutcome.TAKEN;
    }
    for (int at = differs & -8; at <= count - 8; at += 8) {
      if (sample.isRead(seamOffset + at)
          && (long) LONGS.get(seam, at) != (long) LONGS.get(copy, seamOffset + at)) {
        return SpliceOutcome.LINKS_DIFFER;
      }
    }
    return largeFrame ? SpliceOutcome.TAKEN : SpliceOutcome.FRAMES_DIFFER;
  }

  /** Appends what can be read of the next piece; how many bytes. */
  private int readPiece() {
    // Pieces end on page boundaries: so does a stack of unknown end.
    long from = begin + length;
    int wanted = PIECE_BYTES - (int) (from & (PAGE_BYTES - 1));
    wanted = Math.min(wanted, limit - length);
    if (length + wanted > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.min(MAX_KEPT_BYTES, 2 * bytes.length + PIECE_BYTES));
    }
    while (wanted > 0) {
      try {
        live.read(from, bytes, length, wanted);
        return wanted;
      } catch (UnreadableMemoryException e) {
        // Half of it, so that it still ends on a page's boundary, until not a page is left.
        long end = (from + wanted / 2) & -PAGE_BYTES;
        wanted = (int) Math.max(0, end - from);
      }
    }
    return 0;
  }
}
