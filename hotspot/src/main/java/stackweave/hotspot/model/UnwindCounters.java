package stackweave.hotspot.model;

/**
 * Counts what unwinding HotSpot's frames took since the start. Written by the one thread that
 * unwinds, with plain increments; other threads only read them, and may see values that are a
 * little old.
 */
public final class UnwindCounters {
  /** Frames whose pc had to be decoded. */
  public long pcMisses;

  /** Code blobs copied out of the VM. */
  public long blobsRead;

  /** Methods copied out of the VM. */
  public long methodsRead;

  /** Cached blobs and methods that turned out to have been freed or replaced. */
  public long identityFailures;

  /** How often the limit of names was reached, and caches were emptied with them. */
  public long nameResets;

  /** How often a full cache was emptied: of pcs, blobs, methods or native return addresses. */
  public long cacheResets;

  /** Frames left by another way than their layout says, validated. */
  public long recoveries;

  /** Frames left by looking for a return address on the stack. */
  public long scans;

  /** Frames decoded with code that was replaced since the sample, from the copy of that time. */
  public long formerCode;

  /** Frames whose code is younger than the sample, with no copy of what was there before. */
  public long tooOld;

  /** Pairs of Java frames of which the caller's bytecode was compared with the callee. */
  public long links;

  /** Such pairs where it calls something else, before they were decoded again. */
  public long brokenLinks;

  /** Stacks with such pairs that were right when they were decoded again. */
  public long mendedLinks;

  /** Frames shown as stale code, because their names were in doubt. */
  public long staleFrames;

  /** Callers found in a way that can be wrong, in code without unwind tables. */
  public long guessedCallers;

  /** Frames shown as missing, between two that don't call each other. */
  public long missingFrames;
}
