package stackweave.jfr.store;

import java.util.Arrays;
import stackweave.unwind.hash.HashIndex;

/** Ids of what samples have in common besides thread, stack and weight. Not thread-safe. */
final class AttributesTable {
  /** Without contexts there are fewer; with contexts the table is cleared when it is full. */
  private static final int CAPACITY = 1_024;

  private static final int FIRST_CAPACITY = 16;

  private final HashIndex numbers = new HashIndex(FIRST_CAPACITY);
  private int[] states = new int[FIRST_CAPACITY];
  private int[] ends = new int[FIRST_CAPACITY];
  private long[] contexts = new long[FIRST_CAPACITY];
  private long[] ages = new long[FIRST_CAPACITY];
  private int[] emitted = new int[FIRST_CAPACITY];
  private long firstId = 1;
  private int count;

  /** The id of these attributes; the table must not be {@link #isFull}. */
  long intern(int state, int end, long contextId, long ageNanos) {
    int hash = hash(state, end, contextId, ageNanos);
    for (int slot = numbers.first(hash); slot != HashIndex.NONE; slot = numbers.next(slot)) {
      int index = numbers.at(slot);
      if (states[index] == state
          && ends[index] == end
          && contexts[index] == contextId
          && ages[index] == ageNanos) {
        return firstId + index;
      }
    }
    if (count == states.length) {
      setCapacity(2 * count);
    }
    states[count] = state;
    ends[count] = end;
    contexts[count] = contextId;
    ages[count] = ageNanos;
    emitted[count] = 0;
    numbers.add(hash, count);
    return firstId + count++;
  }

  private static int hash(int state, int end, long contextId, long ageNanos) {
    long hash = (contextId * 0x9E3779B97F4A7C15L + ageNanos) * 0xC2B2AE3D27D4EB4FL;
    hash = (hash + ((long) state << 32 | end)) * 0x165667B19E3779F9L;
    return (int) (hash >>> 32);
  }

  boolean isFull() {
    return count == CAPACITY;
  }

  private void setCapacity(int capacity) {
    states = Arrays.copyOf(states, capacity);
    ends = Arrays.copyOf(ends, capacity);
    contexts = Arrays.copyOf(contexts, capacity);
    ages = Arrays.copyOf(ages, capacity);
    emitted = Arrays.copyOf(emitted, capacity);
  }

  /** Forgets all attributes and frees their memory; ids continue. */
  void clear() {
    firstId += count;
    count = 0;
    numbers.clear();
    setCapacity(FIRST_CAPACITY);
  }

  /** The end of the stacks that have these attributes; -1 where they are forgotten. */
  int end(long id) {
    long index = id - firstId;
    return index < 0 || index >= count ? -1 : ends[(int) index];
  }

  /** The context of these attributes; 0 where they are forgotten, too. */
  long context(long id) {
    long index = id - firstId;
    return index < 0 || index >= count ? 0 : contexts[(int) index];
  }

  /** Puts the definition of an id into a block, unless the chunk has it. */
  void define(long id, int chunk, BlockEncoder block) {
    long index = id - firstId;
    if (index < 0 || index >= count || emitted[(int) index] == chunk) {
      return;
    }
    int i = (int) index;
    emitted[i] = chunk;
    block.attributes(id, states[i], ends[i], contexts[i], ages[i]);
  }
}
