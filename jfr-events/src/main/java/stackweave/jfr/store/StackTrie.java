package stackweave.jfr.store;

import java.util.Arrays;
import stackweave.jfr.table.IndexTable;

/**
 * The tree of all stacks of one generation: a node is a frame under its caller, found by an {@link
 * IndexTable} over primitive columns. Node ids are {@code firstId + index}. Not thread-safe.
 */
final class StackTrie {
  private static final int FIRST_CAPACITY = 1_024;

  private long firstId;
  private int count;
  private long[] parents = new long[FIRST_CAPACITY];
  private long[] methods = new long[FIRST_CAPACITY];
  private long[] offsets = new long[FIRST_CAPACITY];
  private int[] lines = new int[FIRST_CAPACITY];
  private byte[] kinds = new byte[FIRST_CAPACITY];
  private int[] emitted = new int[FIRST_CAPACITY];

  private final IndexTable table = new IndexTable(FIRST_CAPACITY);

  StackTrie(long firstId) {
    this.firstId = firstId;
  }

  /** Forgets all nodes, and gives back what they took; the ids go on. */
  void clear() {
    firstId += count;
    count = 0;
    table.clear(FIRST_CAPACITY);
    if (parents.length == FIRST_CAPACITY) {
      return;
    }
    parents = new long[FIRST_CAPACITY];
    methods = new long[FIRST_CAPACITY];
    offsets = new long[FIRST_CAPACITY];
    lines = new int[FIRST_CAPACITY];
    kinds = new byte[FIRST_CAPACITY];
    emitted = new int[FIRST_CAPACITY];
  }

  int count() {
    return count;
  }

  /** Index of a node of this generation, -1 for any other id. */
  int indexOf(long id) {
    long index = id - firstId;
    return index >= 0 && index < count ? (int) index : -1;
  }

  /** The id of the node, new if there was none. */
  long intern(long parent, long method, int kind, int line, long offset) {
    int slot = table.slot(hash(parent, method, kind, line, offset));
    for (int index = table.at(slot); index >= 0; index = table.at(slot)) {
      if (parents[index] == parent
          && methods[index] == method
          && offsets[index] == offset
          && lines[index] == line
          && kinds[index] == (byte) kind) {
        return firstId + index;
      }
      slot = table.next(slot);
    }
    if (count == parents.length) {
      grow();
      return intern(parent, method, kind, line, offset);
    }
    parents[count] = parent;
    methods[count] = method;
    offsets[count] = offset;
    lines[count] = line;
    kinds[count] = (byte) kind;
    emitted[count] = 0;
    table.put(slot, count);
    return firstId + count++;
  }

  private void grow() {
    int capacity = 2 * parents.length;
    parents = Arrays.copyOf(parents, capacity);
    methods = Arrays.copyOf(methods, capacity);
    offsets = Arrays.copyOf(offsets, capacity);
    lines = Arrays.copyOf(lines, capacity);
    kinds = Arrays.copyOf(kinds, capacity);
    emitted = Arrays.copyOf(emitted, capacity);
    table.clear(capacity);
    for (int i = 0; i < count; i++) {
      table.add(hash(parents[i], methods[i], kinds[i], lines[i], offsets[i]), i);
    }
  }

  private static int hash(long parent, long method, int kind, int line, long offset) {
    // Odd constants from the golden ratio and its kin; the shift brings high bits down.
    long h = parent * 0x9E3779B97F4A7C15L;
    h = (h ^ method) * 0xC2B2AE3D27D4EB4FL;
    h = (h ^ offset ^ ((long) line << 32)) * 0x165667B19E3779F9L;
    h ^= kind;
    return (int) (h ^ (h >>> 29) ^ (h >>> 47));
  }

  long parent(int index) {
    return parents[index];
  }

  long method(int index) {
    return methods[index];
  }

  long offset(int index) {
    return offsets[index];
  }

  int line(int index) {
    return lines[index];
  }

  int kind(int index) {
    return kinds[index];
  }

  /** The chunk in which the node was last emitted. */
  int emitted(int index) {
    return emitted[index];
  }

  void setEmitted(int index, int chunk) {
    emitted[index] = chunk;
  }
}
