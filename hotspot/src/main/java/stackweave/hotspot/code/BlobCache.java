package stackweave.hotspot.code;

import stackweave.hotspot.model.UnwindCounters;
import stackweave.hotspot.unloading.CheckRounds;
import stackweave.unwind.HeapShare;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.hash.LongTable;

/**
 * The code blobs that were read, by address; bounded. Asked by the pc cache. A blob is compared
 * with the VM when it is first used in a {@link CheckRounds round}.
 *
 * <p>While a stack is unwound, known blobs are assumed to be unchanged; {@link #confirm} compares
 * all of them with one system call at the end, because system calls dominate the cost of comparing.
 * Not thread-safe.
 */
public final class BlobCache {
  private static final int MAX_BLOBS = HeapShare.of(24 << 10);

  private static final int FIRST_SLOTS = 1 << 10;

  /** No blob begins or ends within as many bytes, by default: it takes whole segments. */
  private static final int LOG2_CELL = 6;

  private final CodeCache codeCache;
  private final BlobReader reader;
  private final CheckRounds rounds;
  private final UnwindCounters counters;
  private final FreedBlobs gone = new FreedBlobs();
  private final LongTable<CodeBlob> blobs = new LongTable<>(FIRST_SLOTS, MAX_BLOBS);

  /** The blobs once more, by the cells of the code cache in which they were hit. */
  private final LongTable<CodeBlob> cells = new LongTable<>(FIRST_SLOTS, MAX_BLOBS);

  private final CodeBlob[] expected = new CodeBlob[BlobReader.MAX_COMPARED];
  private final boolean[] unchanged = new boolean[BlobReader.MAX_COMPARED];

  // Of those that are expected: what was known of them before.
  private final long[] lastSeenBefore = new long[BlobReader.MAX_COMPARED];
  private final int[] collectionsSeenBefore = new int[BlobReader.MAX_COMPARED];

  private int expectedCount;
  private boolean expecting = true;

  private final DebugInfo debug;
  private int resets;

  public BlobCache(
      CodeCache codeCache, BlobReader reader, CheckRounds rounds, UnwindCounters counters) {
    this.codeCache = codeCache;
    this.reader = reader;
    this.rounds = rounds;
    this.counters = counters;
    this.debug = reader.newDebugInfo();
  }

  /** The blob that holds {@code pc}, or null if none is there now. */
  public CodeBlob find(long pc) {
    CodeBlob near = cells.get(pc >>> LOG2_CELL);
    if (near != null && near.contains(pc) && isCurrent(near)) {
      return near;
    }
    try {
      long address = codeCache.blobAt(pc);
      if (address == 0) {
        return null;
      }
      CodeBlob known = blobs.get(address);
      CodeBlob blob = known != null && isCurrent(known) ? known : read(address);
      if (blob == null || !blob.contains(pc)) {
        return null;
      }
      cells.put(pc >>> LOG2_CELL, blob);
      return blob;
    } catch (UnreadableMemoryException e) {
      return null;
    }
  }

  /** Whether {@code blob} is the one that the VM has at its address, as far as is known. */
  public boolean isCurrent(CodeBlob blob) {
    // In this order: what says that it is gone lies in another line of the CPU's cache.
    return blob.isChecked(rounds) || !blob.isGone() && isStillCurrent(blob);
  }

  /** As {@link #isCurrent}, at this very moment or later. */
  public boolean isStillCurrent(CodeBlob blob) {
    if (blob.isExpected()) {
      return true;
    }
    if (expecting && expectedCount < expected.length) {
      lastSeenBefore[expectedCount] = blob.lastSeen();
      collectionsSeenBefore[expectedCount] = blob.collectionsSeen();
      blob.setExpected(rounds);
      expected[expectedCount++] = blob;
      return true;
    }
    boolean same = reader.isUnchanged(blob);
    if (same) {
      blob.setCompared(rounds);
    } else {
      setGone(blob);
    }
    return same;
  }

  /**
   * What the pcs of {@code code} are decoded with, until the next call; null if it is not what it
   * was.
   */
  public DebugInfo debugInfo(Nmethod code) {
    if (debug.isOf(code) || reader.read(code, debug)) {
      return debug;
    }
    if (!code.isExpected()) {
      setGone(code);
    }
    return null; // else it is found to be gone when all that was expected is compared
  }

  /** Whether what {@code code} names cannot have been freed by an unloading that was seen. */
  public boolean isLive(Nmethod code) {
    return code.isLive(rounds) && reader.isAlive(code);
  }

  /**
   * Compares all that was only taken to be current.
   *
   * @return false if something of it was not: what was decoded with it is void
   */
  public boolean confirm() {
    if (expectedCount == 0) {
      return true;
    }
    boolean all = reader.compare(expected, expectedCount, unchanged);
    for (int i = 0; i < expectedCount; i++) {
      CodeBlob blob = expected[i];
      expected[i] = null;
      if (unchanged[i]) {
        blob.setConfirmed(rounds);
      } else {
        blob.setRefuted(lastSeenBefore[i], collectionsSeenBefore[i]);
        setGone(blob);
      }
    }
    expectedCount = 0;
    return all;
  }

  /**
   * @param expecting false: nothing is taken to be current from here on, without {@link #confirm}
   */
  public void setExpecting(boolean expecting) {
    this.expecting = expecting;
  }

  private void setGone(CodeBlob blob) {
    blob.setGone();
    gone.add(blob);
    blobs.remove(blob.address);
    counters.identityFailures++;
  }

  private CodeBlob read(long address) throws UnreadableMemoryException {
    CodeBlob blob = reader.read(address);
    if (blob == null) {
      return null;
    }
    counters.blobsRead++;
    blob.setRead(rounds);
    blob.setReplacedAfter(gone.lastSeenInsteadOf(blob));
    if (blobs.put(address, blob)) {
      cells.clear();
      resets++;
      counters.cacheResets++;
    }
    return blob;
  }

  /** How often all blobs were forgotten: copies of them kept elsewhere must be forgotten, too. */
  public int resets() {
    return resets;
  }
}
