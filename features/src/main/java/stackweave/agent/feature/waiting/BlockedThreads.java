package stackweave.agent.feature.waiting;

import java.util.Arrays;
import stackweave.unwind.hash.LongIndex;

/**
 * The threads whose switches are recorded, in columns by position; a thread's position stays until
 * it is removed. Times are in ns, by {@link System#nanoTime}. Used by {@link BlockedSampler} alone;
 * allocates only to grow.
 */
final class BlockedThreads {
  // What a position holds.
  static final byte FREE = 0;

  /** A thread of which it isn't known yet whether it is to be looked at. */
  static final byte NEW = 1;

  static final byte WATCHED = 2;

  /** Left out: by its name, or because it is the JVM's. */
  static final byte EXCLUDED = 3;

  /** More threads are not timed. */
  private static final int MAX = 1 << 16;

  private final LongIndex index = new LongIndex();

  byte[] kind;

  /** When that was decided. */
  long[] decidedAt;

  /** Whether it has left its CPU otherwise than by losing it, and when. */
  boolean[] isOut;

  long[] outAt;

  /** Who woke it since, and when; a process of 0 if that is not known. */
  int[] wakerPid;

  int[] wakerTid;
  long[] wokenAt;

  /** When it is to be looked at, as long as it is out. */
  long[] due;

  /** Whether it was looked at, when, and what was seen: the columns that follow. */
  boolean[] isSeen;

  long[] seenAt;
  long[] stackId;
  long[] threadKey;
  long[] contextId;
  int[] state;
  byte[] end;

  /** Of the ids. */
  int[] generation;

  /** What of a NEW thread was over before a look: how often, how long, how often put off. */
  int[] unseen;

  /** Positions that were given so far, free ones among them. */
  private int limit;

  BlockedThreads() {
    grow(index.capacity());
  }

  private void grow(int length) {
    kind = grown(kind, length);
    end = grown(end, length);
    isOut = grown(isOut, length);
    isSeen = grown(isSeen, length);
    state = grown(state, length);
    generation = grown(generation, length);
    unseen = grown(unseen, length);
    wakerPid = grown(wakerPid, length);
    wakerTid = grown(wakerTid, length);
    wokenAt = grown(wokenAt, length);
    decidedAt = grown(decidedAt, length);
    outAt = grown(outAt, length);
    due = grown(due, length);
    seenAt = grown(seenAt, length);
    stackId = grown(stackId, length);
    threadKey = grown(threadKey, length);
    contextId = grown(contextId, length);
  }

  private static byte[] grown(byte[] column, int length) {
    return column == null ? new byte[length] : Arrays.copyOf(column, length);
  }

  private static boolean[] grown(boolean[] column, int length) {
    return column == null ? new boolean[length] : Arrays.copyOf(column, length);
  }

  private static int[] grown(int[] column, int length) {
    return column == null ? new int[length] : Arrays.copyOf(column, length);
  }

  private static long[] grown(long[] column, int length) {
    return column == null ? new long[length] : Arrays.copyOf(column, length);
  }

  /** Positions are below this. */
  int limit() {
    return limit;
  }

  int tid(int i) {
    return (int) index.key(i);
  }

  /** The position of a thread, −1 if it is not known. */
  int find(int tid) {
    return index.find(tid);
  }

  /** The position of a thread, which is added where it is missing; −1 if there are too many. */
  int findOrAdd(int tid) {
    int known = index.find(tid);
    if (known >= 0 || index.count() == MAX) {
      return known;
    }
    int i = index.add(tid);
    if (index.capacity() > kind.length) {
      grow(index.capacity());
    }
    limit = Math.max(limit, i + 1);
    kind[i] = NEW;
    isOut[i] = false;
    isSeen[i] = false;
    unseen[i] = 0;
    return i;
  }

  /** Removes a thread that has ended. */
  void remove(int i) {
    kind[i] = FREE;
    isOut[i] = false;
    index.remove(index.key(i));
  }
}
