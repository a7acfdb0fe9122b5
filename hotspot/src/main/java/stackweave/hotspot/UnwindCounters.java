package stackweave.hotspot;

/**
 * What unwinding HotSpot's frames took, counted since the start. Written by the one thread that
 * unwinds, with plain increments; read by others through {@link HotSpotStatistics}, which may see
 * values that are a little old.
 */
final class UnwindCounters {
  /** Frames whose pc had to be decoded. */
  long pcMisses;

  /** Code blobs copied out of the VM. */
  long blobsRead;

  /** Methods copied out of the VM. */
  long methodsRead;

  /** Cached blobs and methods that turned out to have been freed or replaced. */
  long identityFailures;

  /** How often there were too many names, and all was forgotten with them. */
  long nameResets;

  /** How often a full cache was emptied: of pcs, blobs, methods or native return addresses. */
  long cacheResets;

  /** Frames left by another way than their layout says, validated. */
  long recoveries;

  /** Frames left by looking for a return address on the stack. */
  long scans;

  /** Frames decoded with code that was replaced since the sample, from the copy of that time. */
  long formerCode;

  /** Frames whose code is younger than the sample, with no copy of what was there before. */
  long tooOld;

  /** Pairs of Java frames of which the caller's bytecode was compared with the callee. */
  long links;

  /** Pairs of which it calls something else, before they were decoded again. */
  long brokenLinks;

  /** Stacks with such pairs that were right when they were decoded again. */
  long mendedLinks;

  /** Frames shown as stale code, for their names were in doubt. */
  long staleFrames;

  /** Stacks that were walked once more, for code was replaced that they were decoded with. */
  long repeatedWalks;

  /** Frames shown as missing, between two that don't call each other. */
  long missingFrames;
}
