package stackweave.hotspot.code;

/**
 * Remembers where the last few hundred freed blobs were, and when each was last seen. Asked by the
 * blob cache for every blob that it reads: one that is found in the place of a freed one is younger
 * than that.
 */
final class FreedBlobs {
  private static final int CAPACITY = 512;

  private final long[] begins = new long[CAPACITY];
  private final long[] ends = new long[CAPACITY];
  private final int[] compileIds = new int[CAPACITY];
  private final long[] lastSeen = new long[CAPACITY];
  private int count;

  void add(CodeBlob blob) {
    int i = count++ & (CAPACITY - 1);
    begins[i] = blob.address;
    ends[i] = blob.codeEnd;
    compileIds[i] = blob.identity().compileId();
    lastSeen[i] = blob.lastSeen();
  }

  /** When another blob in its place was last seen; {@link Long#MIN_VALUE}: never. */
  long lastSeenInsteadOf(CodeBlob blob) {
    long last = Long.MIN_VALUE;
    for (int i = Math.min(count, CAPACITY) - 1; i >= 0; i--) {
      // What only lost its method, on its way out, is the same code still.
      boolean same = begins[i] == blob.address && compileIds[i] == blob.identity().compileId();
      if (!same && begins[i] < blob.codeEnd && blob.address < ends[i]) {
        last = Math.max(last, lastSeen[i]);
      }
    }
    return last;
  }
}
