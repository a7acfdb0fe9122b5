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
  long recoveries;
  long scans;

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

  /** How often a full cache was emptied. */
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
}
