package stackweave.hotspot.code;

import java.util.ArrayDeque;
import java.util.Deque;
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

  private static final int MAX_GONE = 512;

  private final CodeCache codeCache;
  private final BlobReader reader;
  private final CheckRounds rounds;
  private final UnwindCounters counters;

  /**
   * The last blobs that were found freed. Has room for all of them from the start: an ArrayDeque
   * that can't grow, for lack of memory, looks empty.
   */
  private final Deque<CodeBlob> gone = new ArrayDeque<>(MAX_GONE);

  private final LongTable<CodeBlob> blobs = new LongTable<>(FIRST_SLOTS, MAX_BLOBS);

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
    try {
      long address = codeCache.blobAt(pc);
      if (address == 0) {
        return null;
      }
      CodeBlob known = blobs.get(address);
      CodeBlob blob = known != null && isCurrent(known) ? known : read(address);
      return blob == null || !blob.contains(pc) ? null : blob;
    } catch (UnreadableMemoryException e) {
      return null;
    }
  }

  /** Whether {@code blob} is the one that the VM has at its address, as compared in this round. */
  public boolean isCurrent(CodeBlob blob) {
    // In this order, because whether it is gone lies in another line of the CPU's cache.
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
   * The debug information of {@code code}, valid until the next call; null if the method is gone.
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
    if (gone.size() == MAX_GONE) {
      gone.removeFirst();
    }
    gone.addLast(blob);
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
    blob.setReplacedAfter(lastSeenInsteadOf(blob));
    if (blobs.put(address, blob)) {
      counters.cacheResets++;
    }
    return blob;
  }

  /**
   * When another blob in the place of {@code blob} was last seen; {@link Long#MIN_VALUE}: never.
   * The blob is younger than that.
   */
  private long lastSeenInsteadOf(CodeBlob blob) {
    long last = Long.MIN_VALUE;
    for (CodeBlob freed : gone) {
      // A blob that has only lost its method, as it is being freed, is still the same code.
      boolean same =
          freed.address == blob.address
              && freed.identity().compileId() == blob.identity().compileId();
      if (!same && freed.address < blob.codeEnd && blob.address < freed.codeEnd) {
        last = Math.max(last, freed.lastSeen());
      }
    }
    return last;
  }
}
