package stackweave.hotspot.code;

import stackweave.hotspot.model.UnwindCounters;
import stackweave.hotspot.unloading.CheckRounds;
import stackweave.unwind.HeapShare;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.hash.LongTable;

/**
 * The code blobs that were read, by address; bounded. Asked by the pc cache. A blob is compared
 * with the VM when it is first used in a {@link CheckRounds round}. Not thread-safe.
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

  private final DebugInfo debug;

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

  /** Whether {@code blob} is the one that the VM has at its address, as compared in this round. */
  public boolean isCurrent(CodeBlob blob) {
    // In this order: what says that it is gone lies in another line of the CPU's cache.
    return blob.isChecked(rounds) || !blob.isGone() && isStillCurrent(blob);
  }

  /** As {@link #isCurrent}, compared at this very moment. */
  public boolean isStillCurrent(CodeBlob blob) {
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
    setGone(code);
    return null;
  }

  /** Whether what {@code code} names cannot have been freed by an unloading that was seen. */
  public boolean isLive(Nmethod code) {
    return code.isLive(rounds) && reader.isAlive(code);
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
      counters.cacheResets++;
    }
    return blob;
  }
}
