package stackweave.hotspot;

/**
 * What decoding HotSpot's frames took, counted since the start. Written by the unwinding thread;
 * other threads may read values that are a little old.
 */
public final class HotSpotStatistics {
  long pcHits;
  long pcMisses;
  long blobsRead;
  long methodsRead;
  long identityFailures;
  long cacheResets;
  long methodHits;
  long nameResets;
  long recoveries;
  long scans;
  long formerCode;
  long tooOld;
  long links;
  long brokenLinks;
  long mendedLinks;
  long staleFrames;
  long missingFrames;
  long repeatedWalks;

  HotSpotStatistics() {}

  /** Frames whose pc was known already. */
  public long pcHits() {
    return pcHits;
  }

  /** Frames whose pc had to be decoded. */
  public long pcMisses() {
    return pcMisses;
  }

  /** Code blobs copied out of the VM. */
  public long blobsRead() {
    return blobsRead;
  }

  /** Methods copied out of the VM. */
  public long methodsRead() {
    return methodsRead;
  }

  /** Cached blobs and methods that turned out to have been freed or replaced. */
  public long identityFailures() {
    return identityFailures;
  }

  /** Methods that were known already. */
  public long methodHits() {
    return methodHits;
  }

  /** How often there were too many names, and all was forgotten with them. */
  public long nameResets() {
    return nameResets;
  }

  /** How often a full cache was emptied: of pcs, blobs, methods or native return addresses. */
  public long cacheResets() {
    return cacheResets;
  }

  /** Frames left by another way than their layout says, validated. */
  public long recoveries() {
    return recoveries;
  }

  /** Frames left by looking for a return address on the stack. */
  public long scans() {
    return scans;
  }

  /** Frames decoded with code that was replaced since the sample, from the copy of that time. */
  public long formerCode() {
    return formerCode;
  }

  /** Frames whose code is younger than the sample, with no copy of what was there before. */
  public long tooOld() {
    return tooOld;
  }

  /** Pairs of Java frames of which the caller's bytecode was compared with the callee. */
  public long links() {
    return links;
  }

  /** Pairs of which it calls something else, before they were decoded again. */
  public long brokenLinks() {
    return brokenLinks;
  }

  /** Stacks with such pairs that were right when they were decoded again. */
  public long mendedLinks() {
    return mendedLinks;
  }

  /** Frames shown as stale code, for their names were in doubt. */
  public long staleFrames() {
    return staleFrames;
  }

  /** Stacks that were walked once more, for code was replaced that they were decoded with. */
  public long repeatedWalks() {
    return repeatedWalks;
  }

  /** Frames shown as missing, between two that don't call each other. */
  public long missingFrames() {
    return missingFrames;
  }
}
