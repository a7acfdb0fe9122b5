package stackweave.hotspot;

import stackweave.unwind.UnreadableMemoryException;

/**
 * Code blobs by address, each compared with the VM again at its first use in a round; bounded by
 * number and by the bytes that copies take.
 */
final class BlobCache {
  private static final int CAPACITY = 1 << 15;
  private static final long MOST_BYTES = 24L << 20;

  private final CodeCache codeCache;
  private final BlobReader reader;
  private final CheckRounds rounds;
  private final HotSpotStatistics statistics;
  private final GoneBlobs gone = new GoneBlobs();
  private final LongTable<CodeBlob> blobs = new LongTable<>(CAPACITY);
  private long bytes;
  private int resets;

  BlobCache(
      CodeCache codeCache, BlobReader reader, CheckRounds rounds, HotSpotStatistics statistics) {
    this.codeCache = codeCache;
    this.reader = reader;
    this.rounds = rounds;
    this.statistics = statistics;
  }

  /** The blob that holds {@code pc}, or null if none is there now. */
  CodeBlob find(long pc) {
    try {
      long address = codeCache.blobAt(pc);
      if (address == 0) {
        return null;
      }
      CodeBlob known = blobs.get(address);
      CodeBlob blob = known != null && isCurrent(known) ? known : read(address);
      return blob != null && blob.contains(pc) ? blob : null;
    } catch (UnreadableMemoryException e) {
      return null;
    }
  }

  /** Whether {@code blob} is the one that the VM has at its address. */
  boolean isCurrent(CodeBlob blob) {
    if (blob.isGone()) {
      return false;
    }
    return blob.isChecked(rounds) || isStillCurrent(blob);
  }

  /** As {@link #isCurrent}, at this very moment. */
  boolean isStillCurrent(CodeBlob blob) {
    try {
      if (reader.isUnchanged(blob)) {
        blob.setUnchanged(rounds);
        return true;
      }
    } catch (UnreadableMemoryException e) {
      // The heap shrank.
    }
    blob.setGone();
    gone.add(blob);
    blobs.remove(blob.address);
    statistics.identityFailures++;
    return false;
  }

  private CodeBlob read(long address) throws UnreadableMemoryException {
    CodeBlob blob = reader.read(address);
    if (blob == null) {
      return null;
    }
    statistics.blobsRead++;
    blob.setRead(rounds);
    blob.setReplacedAfter(gone.lastSeenInsteadOf(blob));
    int weight = blob instanceof Nmethod n ? n.weight() : 0;
    if (bytes + weight > MOST_BYTES) {
      blobs.clear();
      reset();
    }
    if (blobs.put(address, blob)) {
      reset();
    }
    bytes += weight;
    return blob;
  }

  private void reset() {
    bytes = 0;
    resets++;
    statistics.cacheResets++;
  }

  /** How often all blobs were forgotten: whoever keeps some must forget them then, too. */
  int resets() {
    return resets;
  }
}
