package stackweave.hotspot;

import stackweave.hotspot.model.UnwindCounters;

/**
 * What decoding HotSpot's frames took, counted since the start. A view of counters that the
 * unwinding thread writes; other threads may read values that are a little old.
 */
public final class HotSpotStatistics {
  private final UnwindCounters counters;

  HotSpotStatistics(UnwindCounters counters) {
    this.counters = counters;
  }

  /** Frames whose pc had to be decoded. */
  public long pcMisses() {
    return counters.pcMisses;
  }

  /** Code blobs copied out of the VM. */
  public long blobsRead() {
    return counters.blobsRead;
  }

  /** Methods copied out of the VM. */
  public long methodsRead() {
    return counters.methodsRead;
  }

  /** Cached blobs and methods that turned out to have been freed or replaced. */
  public long identityFailures() {
    return counters.identityFailures;
  }

  /** How often there were too many names, and all was forgotten with them. */
  public long nameResets() {
    return counters.nameResets;
  }

  /** How often a full cache was emptied: of pcs, blobs, methods or native return addresses. */
  public long cacheResets() {
    return counters.cacheResets;
  }

  /** Frames left by another way than their layout says, validated. */
  public long recoveries() {
    return counters.recoveries;
  }

  /** Frames left by looking for a return address on the stack. */
  public long scans() {
    return counters.scans;
  }

  /** Frames decoded with code that was replaced since the sample, from the copy of that time. */
  public long formerCode() {
    return counters.formerCode;
  }

  /** Frames whose code is younger than the sample, with no copy of what was there before. */
  public long tooOld() {
    return counters.tooOld;
  }

  /** Pairs of Java frames of which the caller's bytecode was compared with the callee. */
  public long links() {
    return counters.links;
  }

  /** Pairs of which it calls something else, before they were decoded again. */
  public long brokenLinks() {
    return counters.brokenLinks;
  }

  /** Stacks with such pairs that were right when they were decoded again. */
  public long mendedLinks() {
    return counters.mendedLinks;
  }

  /** Frames shown as stale code, for their names were in doubt. */
  public long staleFrames() {
    return counters.staleFrames;
  }

  /** Stacks that were walked once more, for code was replaced that they were decoded with. */
  public long repeatedWalks() {
    return counters.repeatedWalks;
  }

  /** Frames shown as missing, between two that don't call each other. */
  public long missingFrames() {
    return counters.missingFrames;
  }
}
